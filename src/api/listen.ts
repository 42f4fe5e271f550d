import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { reasonOf, StartError } from './startError.ts'

/** Longest path of a Unix socket on Linux, in bytes (unix(7)). */
const longestPath = 107

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Why a port cannot be opened, and the fix. */
export function explainListening(
  error: unknown,
  place: { readonly address: string; readonly port: number },
): StartError {
  const { address, port } = place
  const where = `${address.includes(':') ? `[${address}]` : address}:${port}`
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(
        `cannot listen on ${where}: another program has this port; stop it or choose another port`,
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
        `cannot listen on ${where}: ports below 1024 are for root; choose one from 1024 on`,
        error,
      )
    default:
      return new StartError(`cannot listen on ${where}: ${reasonOf(error)}`, error)
  }
}

/** Fastify does not see that the server it was handed speaks TLS. */
const listenTextResolver = (address: string): string => `listening at ${address.replace(/^http:/, 'https:')}`

/** Opens the TCP door. Rejects with a `StartError`; the port in effect is in the server's address. */
export async function listenOnTcp(
  app: FastifyInstance,
  place: { readonly address: string; readonly port: number },
): Promise<void> {
  try {
    await app.listen({ host: place.address, port: place.port, listenTextResolver })
  } catch (error) {
    throw explainListening(error, place)
  }
}

/** Whether somebody answers on a Unix socket. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    // Only a refusal proves that nobody is there: a full queue, say, does not.
    socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error))))
  })
}

async function removeStale(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isSocket()) {
    throw new StartError(`cannot make the socket ${path}: a file that is no socket lies there; move it away`)
  }
  if (await answers(path)) {
    throw new StartError(`cannot make the socket ${path}: another muster-api answers there; stop it first`)
  }
  rmSync(path, { force: true })
}

/** Opens the door that only our user and root can use: a Unix socket of mode 0600. Rejects with a `StartError`. */
export async function listenOnSocket(app: FastifyInstance, path: string): Promise<void> {
  if (Buffer.byteLength(path) > longestPath) {
    throw new StartError(`the socket path ${path} is too long: ${longestPath} bytes are the most`)
  }
  try {
    await removeStale(path)
    await app.listen({ path, listenTextResolver })
    chmodSync(path, 0o600)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`cannot make the socket ${path}: ${reasonOf(error)}`, error)
  }
}
