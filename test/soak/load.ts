import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Connection, createConnection } from 'mysql2/promise'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { fetchAt } from '../support/https.ts'

/** Does work again and again until the signal comes, that many times a second; resolves to how often it was done. */
export async function repeat(
  rate: number,
  signal: AbortSignal,
  work: () => Promise<unknown>,
): Promise<number> {
  let done = 0
  const begin = performance.now()
  while (!signal.aborted) {
    await work()
    done += 1
    const ahead = begin + (done / rate) * 1000 - performance.now()
    if (ahead > 0) await wait(ahead, undefined, { signal }).catch(() => undefined)
  }
  return done
}

/** Calls the API of a component at its socket. Rejects where it does not answer 200. */
export async function callApi({ socket }: ServerSettings, path: string, method = 'GET'): Promise<void> {
  const answer = await fetchAt({ socketPath: socket }, { path, method, headers: { host: 'localhost' } })
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
}

/** Logs in, asks something and leaves. */
export async function session(port: number): Promise<void> {
  const connection = await login(port)
  await connection.query('SELECT 1')
  await connection.end()
}

export const login = (port: number): Promise<Connection> =>
  createConnection({ host: '127.0.0.1', port, user: 'app', password: 'app-secret' })

/** Connects and closes, as load balancers look whether a port is open. */
export async function check(port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  socket.destroy()
}
