import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { expect } from 'vitest'
import type { Component } from '../../../src/contracts/component.ts'
import { byTurns } from './byTurns.ts'
import type { Operator } from './operator.ts'
import type { Host } from './world.ts'

/** One API of a host. */
export type Door = { readonly host: Host; readonly component: Component }

/** What the authority's file in the state directory says at this moment: whom `curl --cacert` trusts. */
export const trusted = ({ directory }: Operator): string =>
  readFileSync(join(directory, '.muster/alpha/authority.crt'), 'utf8')

/** The serial number of the certificate that a new connection is shown, which must be of an authority in `ca`. */
export const shownSerial = ({ host, component }: Door, ca: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: host.address, port: host.ports[component], ca }, () => {
      resolve(socket.getPeerCertificate().serialNumber)
      socket.destroy()
    })
    socket.once('error', reject)
  })

type LoginLoad = {
  /** Ends it; every login that was not answered with 200, and how many connections those that stay open needed. */
  stop(): Promise<{ readonly refused: readonly string[]; readonly kept: number }>
  /** Counts the logins until now. */
  made(): number
  /** Resolves when every client has logged in once more. */
  around(): Promise<void>
}

export type LoadOptions = {
  readonly operator: Operator
  readonly doors: readonly Door[]
  readonly password: string
  /** Whom clients trust at that moment; what the state directory says unless told. */
  readonly trusts?: () => string
}

/** Does the work under a load of logins: every one was let in, and who kept a connection needed no other. */
export async function underLoad<Result>(options: LoadOptions, work: () => Promise<Result>): Promise<Result> {
  const load = loginLoad(options)
  try {
    await load.around()
    const before = load.made()
    const result = await work()
    const meanwhile = load.made() - before
    await load.around()
    const { refused, kept } = await load.stop()
    expect(refused).toEqual([])
    expect(kept).toBe(options.doors.length)
    // How many there are is a matter of the machine's speed.
    expect(meanwhile).toBeGreaterThan(0)
    return result
  } finally {
    await load.stop()
  }
}

/**
 * Logs in at every door, by a client that keeps its one connection open and by one that makes a new connection each
 * time, which trusts what the state directory says at that moment.
 */
function loginLoad(options: LoadOptions): LoginLoad {
  const { operator, doors } = options
  const { trusts = () => trusted(operator) } = options
  const Authorization = `Basic ${Buffer.from(`admin:${options.password}`).toString('base64')}`
  const atFirst = trusts()
  const refused: string[] = []
  let [made, kept, ended] = [0, 0, false]
  let waiting: (() => void)[] = []

  const logIn = ({ host, component }: Door, agent: Agent | false): Promise<void> =>
    new Promise((resolve) => {
      const name = `${host.name} ${component}, ${agent === false ? 'new' : 'kept'}`
      const end = (problem?: string): void => {
        made += 1
        if (problem !== undefined) refused.push(`${name}: ${problem}`)
        resolve()
      }
      const sent = request({
        host: host.address,
        port: host.ports[component],
        path: '/api/v2/user/admin',
        headers: { Authorization },
        agent,
        // Node.js keeps a connection for one list of authorities alone.
        ca: agent === false ? trusts() : atFirst,
      })
      sent.on('socket', (socket) => {
        if (agent !== false && socket.connecting) kept += 1
      })
      sent.on('error', (error) => end(error.message))
      sent.on('response', (answer) => {
        answer.resume()
        answer.on('end', () => end(answer.statusCode === 200 ? undefined : `${answer.statusCode}`))
        answer.on('error', (error) => end(error.message))
      })
      sent.end()
    })

  const clients = doors.flatMap((door) => [
    { door, agent: new Agent({ keepAlive: true, maxSockets: 1 }) },
    { door, agent: false as const },
  ])
  const rounds = clients.map(() => 0)
  const logins = clients.map(({ door, agent }, index) => async () => {
    await logIn(door, agent)
    rounds[index] = (rounds[index] ?? 0) + 1
    for (const look of waiting) look()
  })
  const load = byTurns(logins, () => ended)
  return {
    made: () => made,
    around: () =>
      new Promise((resolve) => {
        // The login that is at work now began before.
        const wanted = rounds.map((count) => count + 2)
        const look = (): void => {
          if (!rounds.every((count, index) => count >= (wanted[index] ?? 0))) return
          waiting = waiting.filter((one) => one !== look)
          resolve()
        }
        waiting.push(look)
      }),
    stop: async () => {
      ended = true
      await load
      for (const { agent } of clients) if (agent !== false) agent.destroy()
      return { refused, kept }
    },
  }
}
