import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { connect, type ListenOptions, type Server } from 'node:net'
import { addressAndPort } from '../base/address.ts'
import { errorCode } from '../base/systemErrors.ts'
import type { App } from './createApp.ts'
import { reasonOf, StartError } from './startError.ts'

/** Longest path of a Unix socket on Linux, in bytes (unix(7)). */
const longestPath = 107

/** Explains why a port cannot be opened, with the fix. */
export function explainListening(
  error: unknown,
  place: { readonly address: string; readonly port: number },
): StartError {
  const { address, port } = place
  const where = addressAndPort(address, port)
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new StartError(
        `cannot listen on ${where}: another program uses this port; stop it or choose another port`,
        error,
      )
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return new StartError(
        `cannot listen on ${where}: this host does not have the address ${address}`,
        error,
      )
    case 'EACCES':
      return new StartError(
        `cannot listen on ${where}: only root can open ports below 1024; choose 1024 or higher`,
        error,
      )
    default:
      return new StartError(`cannot listen on ${where}: ${reasonOf(error)}`, error)
  }
}

function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Opens the TCP listener and returns the port in effect. Rejects with a `StartError`. */
export async function listenOnTcp(
  { server, log }: App,
  place: { readonly address: string; readonly port: number },
): Promise<number> {
  try {
    await listen(server, { host: place.address, port: place.port })
  } catch (error) {
    throw explainListening(error, place)
  }
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('a TCP server has no port')
  const { address, port } = bound
  log.info(`listening at https://${addressAndPort(address, port)}`)
  return port
}

/** Returns true if a process listens on a Unix socket. */
function isInUse(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    // Only a refusal proves that nobody is there: a full queue, say, does not.
    socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(errorCode(error) ?? '')))
  })
}

async function removeStaleSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isSocket()) {
    throw new StartError(`cannot create the socket ${path}: the path is a file, not a socket; move it away`)
  }
  if (await isInUse(path)) {
    throw new StartError(`cannot create the socket ${path}: another muster-api uses it; stop it first`)
  }
  rmSync(path, { force: true })
}

/** Opens the Unix socket with mode 0600: only our user and root can use it. Rejects with a `StartError`. */
export async function listenOnSocket({ server, log }: App, path: string): Promise<void> {
  if (Buffer.byteLength(path) > longestPath) {
    throw new StartError(`the socket path ${path} is too long: the limit is ${longestPath} bytes`)
  }
  try {
    await removeStaleSocket(path)
    await listen(server, { path })
    chmodSync(path, 0o600)
    log.info(`listening at ${path}`)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`cannot create the socket ${path}: ${reasonOf(error)}`, error)
  }
}
