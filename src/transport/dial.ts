import { connect, type Socket } from 'node:net'
import { lastLines } from '../base/printable.ts'
import { errorCode, systemReason } from '../base/systemErrors.ts'
import type { ListeningPlace } from './transport.ts'
import { TransportError } from './transportError.ts'

/** Opens a TCP connection; rejects with `TransportError`. */
export function dial(options: {
  readonly host: string
  readonly address: string
  readonly port: number
  /** Milliseconds for the host in all, for messages. */
  readonly timeout: number
  /** Milliseconds that remain of `timeout`; default: all. */
  readonly left?: number
  readonly localAddress?: string
  readonly family?: 4 | 6
}): Promise<Socket> {
  const { address, port, timeout, left = timeout, localAddress, family } = options
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      ...(localAddress === undefined ? {} : { localAddress }),
      ...(family === undefined ? {} : { family }),
    })
    const timeoutError = Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
    const timer = setTimeout(() => socket.destroy(timeoutError), left)
    const failed = (error: Error): void => {
      clearTimeout(timer)
      reject(dialError(options, error))
    }
    socket.once('error', failed)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', failed)
      resolve(socket)
    })
  })
}

/** Connects to a server of this machine; resolves with the error if that fails. */
export function dialLocal(place: ListeningPlace): Promise<Socket | Error> {
  return new Promise((resolve) => {
    const socket = connect(
      'socket' in place ? { path: place.socket } : { host: place.address, port: place.port },
    )
    socket.once('error', resolve)
    socket.once('connect', () => resolve(socket))
  })
}

/** Explains a failed connection; the cause keeps the system's code. */
export function dialError(
  target: {
    readonly host: string
    readonly address: string
    readonly port: number
    readonly timeout: number
  },
  cause: Error,
): TransportError {
  const { host, address, port, timeout } = target
  const error = (code: TransportError['code'], message: string, fix: string): TransportError =>
    new TransportError({ host, code, message, fix, cause })
  switch (errorCode(cause)) {
    case 'ECONNREFUSED':
      return error(
        'connection-refused',
        `${host} refused the connection to ${address} port ${port}`,
        'Check that sshd runs there on this port, or set port under ssh.',
      )
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NONAME':
      return error(
        'name-not-found',
        errorCode(cause) === 'EAI_AGAIN'
          ? `the name ${address} of ${host} could not be resolved: the name server did not answer`
          : `the name ${address} of ${host} cannot be resolved`,
        'Correct the address of the host in the YAML, or use an IP address.',
      )
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return error(
        'connection-timeout',
        `no route to ${host} (${address} port ${port})`,
        'Check that the host is up and that its network is reachable from this machine.',
      )
    case 'ETIMEDOUT':
      return error(
        'connection-timeout',
        `${host} did not answer at ${address} port ${port} within ${timeout / 1000} s`,
        'Check that the host is up and that no firewall drops the connection. Set a longer timeout under ssh for a slow network.',
      )
    default:
      return error(
        'connection-lost',
        `the connection to ${host} (${address} port ${port}) was lost: ${systemReason(errorCode(cause)) ?? lastLines(cause.message)}`,
        'Check the log of sshd on the host and the network in between, then run the command again.',
      )
  }
}
