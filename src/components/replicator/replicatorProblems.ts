import { ProblemError } from '../../api/problemError.ts'
import type { Channel } from '../databases/dialect.ts'
import { isStopped, pendingErrorOf, stateOf } from './channelState.ts'
import type { Operation } from './operationLock.ts'

/** Channels by the names of their services. */
export type Services = ReadonlyMap<string, Channel>

/** Problem of a database that is no replica. */
export const notConfigured = (): ProblemError =>
  new ProblemError({
    code: 'not-configured',
    detail:
      'The database of this host is not a replica. Set it up with CHANGE MASTER TO on MariaDB, or with ' +
      'CHANGE REPLICATION SOURCE TO on MySQL.',
  })

/** Problem of a path that names no service. */
export const unknownService = (): ProblemError =>
  new ProblemError({
    code: 'not-found',
    detail: 'This host has no replication service of that name. The call replicator/services lists them.',
  })

/** Throws a `wrong-state` problem where a service is not offline. */
export function rejectReset(services: Services): void {
  const running = [...services].filter(([, channel]) => !isStopped(channel))
  if (running.length === 0) return
  const names = running.map(([name, channel]) => `${name} (${stateOf(channel)})`).join(', ')
  const verb = running.length === 1 ? 'has a thread that runs' : 'have threads that run'
  throw new ProblemError({
    code: 'wrong-state',
    detail: `A reset needs services that are offline, and ${names} ${verb}. Take it offline first.`,
    errors: running.map(([name]) => ({ path: `/${name}`, message: 'is not offline' })),
  })
}

/** Problem of services that cannot get online: the error of the first, and all of them by name. */
export function replicationBroken(services: Services): ProblemError {
  const errors = [...services].flatMap(([name, channel]) => {
    const error = pendingErrorOf(channel)
    return error ? [{ name, ...error }] : []
  })
  const [first] = errors
  const told = first
    ? `${first.name} does not replicate: ${first.sentence} ERROR ${first.number}: ${first.message}`
    : ''
  return new ProblemError({
    code: 'replication-broken',
    detail: `${told.replace(/([^.])$/, '$1.')} Repair what it names, then repeat the call.`,
    errors: errors.map(({ name, number, message }) => ({
      path: `/${name}`,
      message: `stopped with ERROR ${number}: ${message}`,
    })),
  })
}

const goal: Readonly<Record<Operation, string>> = {
  online: 'ONLINE',
  offline: 'offline',
  reset: 'reset',
}

/** Problem of services that did not reach the goal of an operation within its time (milliseconds), without an error. */
export function effectTimedOut(facts: {
  readonly operation: Operation
  readonly services: Services
  readonly milliseconds: number
}): ProblemError {
  const { operation, services, milliseconds } = facts
  const states = [...services]
    .map(([name, channel]) => `${name} is ${stateOf(channel, operation)}`)
    .join(', ')
  return new ProblemError({
    code: 'database-timeout',
    detail:
      `Not every service was ${goal[operation]} within ${milliseconds / 1000} s: ${states}. The database may still ` +
      'get there; replicator/status shows it.',
  })
}
