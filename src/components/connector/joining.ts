import type { Socket } from 'node:net'
import type { Client } from './client.ts'
import type { Clock } from './clock.ts'
import { explainDial } from './explainDial.ts'
import { forward } from './forward.ts'
import { createIntake, type Intake } from './intake.ts'
import { noDataSource, type Refusal, unreachable } from './refusals.ts'
import type { Link, Target, Targets } from './targets.ts'

/** Opens a connection to a data source; what it sends goes to the intake. */
export type Dial = (place: { readonly host: string; readonly port: number }, intake: Intake) => Socket

/** Joins a client to a data source of its role, or refuses it. */
export type Join = (client: Client) => void

/** Times in milliseconds. */
export function createJoining(options: {
  readonly service: string
  /** How long a data source may take to accept a connection. */
  readonly dialTimeout: number
  readonly clock: Clock
  readonly dial: Dial
  readonly targets: Targets
  readonly refuse: (client: Client, refusal: Refusal) => void
  /** A data source was tried in vain: what happens to the client now is the mode's to say. */
  readonly again: (client: Client) => void
  /** The client is joined, refused or gone. */
  readonly settled: (client: Client) => void
  /** A connection came about. */
  readonly joined: () => void
  /** A connection, or the attempt at one, ended. */
  readonly ended: () => void
}): Join {
  const { service, dialTimeout, clock, dial, targets, refuse, again, settled, joined, ended } = options

  function refuseUnrouted(client: Client): void {
    const { failures, role } = client
    const refusal =
      failures.length > 0
        ? unreachable(service, failures)
        : noDataSource(targets.problem(role) ?? 'it is gone')
    refuse(client, refusal)
    settled(client)
  }

  function connect(client: Client, target: Target): void {
    const intake = createIntake()
    const database = dial(target, intake)
    const link: Link = { cut: () => fail('may not be used any more') }
    const late = (): void => fail(`did not answer within ${dialTimeout / 1000} s`)
    const cancelLate = clock.after(dialTimeout, late)

    function settle(): void {
      cancelLate()
      client.dialling = undefined
      database.off('error', onError)
    }
    function fail(why: string): void {
      settle()
      targets.closed(target, link)
      database.on('error', () => undefined)
      database.destroy()
      ended()
      if (client.socket.destroyed) {
        settled(client)
        return
      }
      client.tried.push(target)
      client.failures.push(`${target.name} ${why}`)
      again(client)
      if (!client.dialling) settled(client)
    }
    const onError = (error: Error): void => fail(explainDial(error))

    client.dialling = link
    targets.open(target, link)
    database.once('error', onError)
    database.once('connect', () => {
      settle()
      joined()
      targets.created(target)
      join({ client, database, intake, target, link })
      settled(client)
    })
  }

  function join(parts: {
    readonly client: Client
    readonly database: Socket
    readonly intake: Intake
    readonly target: Target
    readonly link: Link
  }): void {
    const { client, database, intake, target, link } = parts
    client.isForwarded = true
    database.on('error', () => undefined)
    const closed = (): void => {
      targets.closed(target, link)
      ended()
    }
    link.cut = () => {
      client.socket.destroy()
      database.destroy()
      // Those who cut want to know at once what is left.
      closed()
    }
    forward({ client: client.socket, database, intake, clock, onClosed: closed })
  }

  return (client) => {
    const target = targets.choose(client.role, client.tried)
    if (target) connect(client, target)
    else refuseUnrouted(client)
  }
}
