import type { Duplex, Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuthHandlerMiddleware, ClientChannel, ParsedKey } from 'ssh2'
import agents from 'ssh2/lib/agent.js'
import Client from 'ssh2/lib/client.js'
import keyParser from 'ssh2/lib/protocol/keyParser.js'
import { lastLines } from '../base/printable.ts'
import { errorCode, systemReason } from '../base/systemErrors.ts'
import { ciphers, keyExchanges, macs } from './hostKeys/algorithms.ts'
import type { HostKeyPolicy } from './hostKeys/hostKeyPolicy.ts'
import type { LoginKeys } from './login/loginKeys.ts'
import { pipelineAuth } from './pipelineAuth.ts'
import { attemptError, type Progress, type SshPlace } from './sshErrors.ts'
import type { TransportError } from './transportError.ts'

/**
 * Calls `onSilent` once after `limit` intervals in a row without data from the other side. Counts intervals,
 * not time, so that a machine that slept does not count as a host that died.
 */
function watchSilence(options: {
  readonly stream: Readable
  /** Milliseconds. */
  readonly interval: number
  readonly limit: number
  readonly onSilent: () => void
}): void {
  const { stream, interval, limit, onSilent } = options
  let silent = 0
  const timer = setInterval(() => {
    silent += 1
    if (silent <= limit) return
    clearInterval(timer)
    onSilent()
  }, interval)
  stream.on('data', () => {
    silent = 0
  })
  stream.once('close', () => clearInterval(timer))
}

/** A connection that is logged in. */
export type Session = {
  /** Resolves with the reason, in words, when the connection has ended; never rejects. */
  readonly ended: Promise<string>
  /** Starts a command in a channel of its own. */
  exec(command: string): Promise<ClientChannel | Error>
  /** Opens a connection from the server to another address; an error has ssh2's message and `reason`. */
  forward(address: string, port: number): Promise<Duplex | Error>
  /** The same to a Unix socket of the server (OpenSSH's PROTOCOL, section 2.4). */
  forwardSocket(path: string): Promise<Duplex | Error>
  /** Disconnects. */
  end(): void
  /** Closes the connection at once, without waiting for the other side. */
  destroy(): void
}

/** Milliseconds to wait for a more exact reason before reporting the end. */
export const closeReasonGrace = 1000

/** Unanswered keepalive requests after which a server counts as dead: 10 to 15 s. */
const silenceLimit = 2

export type LogIn = {
  readonly place: SshPlace
  /** Stream to the server: a socket, or a channel of a jump host. */
  readonly stream: Duplex
  readonly policy: HostKeyPolicy
  readonly login: LoginKeys
  /** Milliseconds. */
  readonly left: number
  /** Milliseconds between two keepalive requests. */
  readonly keepalive: number
  /** The last jump host: this connection ends with it. */
  readonly through?: { readonly label: string; readonly gone: Promise<string> }
}

/** Checks the server's key and logs in over an open stream; rejects with `TransportError`. */
export async function openSession(options: LogIn): Promise<Session> {
  const { place, stream, policy, left, through } = options
  const client = new Client()
  const { skipped } = options.login
  const progress: Progress = {
    bannerReceived: false,
    handshakeDone: false,
    tried: [],
    skipped,
    offered: [],
    partial: false,
  }
  let denied: TransportError | undefined
  let reason: string | undefined
  let exhausted: () => void = () => undefined
  let over: () => void = () => undefined

  const ready = new Promise<void>((resolve, reject) => {
    const fail = (cause: Error | 'timeout' | undefined): void => {
      clearTimeout(timer)
      reject(denied ?? attemptError(place, progress, cause))
      stream.destroy()
    }
    exhausted = () => fail(undefined)
    const timer = setTimeout(() => fail('timeout'), left)
    // This listener stays for the whole life of the client: an error without one would end the program.
    client.on('error', (error: Error & { readonly level?: string }) => {
      if (error.level === 'agent') return
      reason ??= endReason(error)
      fail(error)
    })
    client.on('close', () => fail(undefined))
    client.on('handshake', () => {
      progress.handshakeDone = true
    })
    client.on('ready', () => {
      clearTimeout(timer)
      resolve()
    })
  })
  const closed = new Promise<void>((resolve) => {
    over = resolve
    client.on('close', resolve)
  })

  client.connect({
    sock: stream,
    username: place.user,
    readyTimeout: 0,
    keepaliveInterval: options.keepalive,
    // ssh2 only sends keepalives; `watchSilence` decides, because any byte is a sign of life, not just a reply.
    keepaliveCountMax: Number.MAX_SAFE_INTEGER,
    algorithms: {
      kex: [...keyExchanges],
      serverHostKey: [...policy.algorithms],
      cipher: [...ciphers],
      hmac: [...macs],
      compress: ['none'],
    },
    hostVerifier: (key: Buffer): boolean => {
      denied = policy.check(key)
      return denied === undefined
    },
    authHandler: offerKeys(options, progress, () => exhausted()),
  })
  pipelineAuth(client, options.login.keys)
  stream.on('data', (chunk: Buffer) => {
    progress.bannerReceived ||= /^SSH-/m.test(chunk.toString('latin1'))
  })
  await ready

  // A channel of a dead jump host never emits close, so do not wait for it.
  const destroy = (): void => {
    reason ??= 'it was closed'
    stream.destroy()
    over()
  }
  watchSilence({
    stream,
    interval: options.keepalive,
    limit: silenceLimit,
    onSilent: () => {
      reason ??= 'it no longer answers'
      destroy()
    },
  })
  through?.gone.then((why) => {
    reason ??= `the connection to ${through.label}, which it goes through, was lost: ${why}`
    over()
  })
  // The jump host's reason is more exact; it may arrive a little later than our end.
  const gone = closed
    .then(() =>
      through === undefined || reason !== undefined
        ? undefined
        : Promise.race([through.gone, pause(closeReasonGrace, undefined, { ref: false })]),
    )
    .then(() => reason ?? 'the host closed it')
  return {
    ended: gone,
    exec: (command) => channel((done) => client.exec(command, done)),
    forward: (address, port) => channel((done) => client.forwardOut('127.0.0.1', 0, address, port, done)),
    forwardSocket: (path) => channel((done) => client.openssh_forwardOutStreamLocal(path, done)),
    end: () => {
      reason ??= 'it was closed'
      client.end()
    },
    destroy,
  }
}

/** Opens a channel; ssh2 throws if the connection has ended. */
function channel(
  open: (done: (error: Error | undefined, channel: ClientChannel) => void) => unknown,
): Promise<ClientChannel | Error> {
  return new Promise((resolve) => {
    try {
      open((error, opened) => {
        if (error) return resolve(error)
        opened.on('error', () => undefined)
        resolve(opened)
      })
    } catch (error) {
      resolve(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

/** Offers one key after another, without the `none` probe that costs a round trip. */
function offerKeys(
  { place, login }: LogIn,
  progress: Progress,
  exhausted: () => void,
): AuthHandlerMiddleware {
  const waiting = [...login.keys]
  return (offered, partial, next) => {
    // ssh2 hands null before the host's first answer, whatever the types say.
    progress.offered = offered ?? []
    progress.partial = partial === true
    const key =
      progress.partial || (offered ?? ['publickey']).includes('publickey') ? waiting.shift() : undefined
    if (key === undefined) return exhausted()
    progress.tried.push(key.label)
    if (key.agent === undefined) return next({ type: 'publickey', username: place.user, key: key.key })
    const signer = agents.createAgent(key.agent)
    signer.getIdentities = (give) => give(undefined, [key.key])
    next({ type: 'agent', username: place.user, agent: signer })
  }
}

/** Lists the public keys of an agent; rejects if it does not respond. */
export function agentKeys(socket: string): Promise<readonly ParsedKey[]> {
  return new Promise((resolve, reject) => {
    agents.createAgent(socket).getIdentities((error, keys) => {
      if (error) return reject(error)
      const parsed = (keys ?? []).flatMap((key) =>
        typeof key === 'string' || !('pubKey' in key) ? [keyParser.parseKey(key)] : [],
      )
      resolve(parsed.filter((key): key is ParsedKey => !(key instanceof Error)))
    })
  })
}

/** Parses the text of a key file; returns the error if it is no key. */
export const parseKey = (text: Buffer, passphrase?: string): ParsedKey | Error =>
  keyParser.parseKey(text, passphrase)

const endReason = (error: Error): string => systemReason(errorCode(error)) ?? lastLines(error.message)
