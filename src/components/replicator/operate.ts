import type { AuditFacts } from '../../api/audit/auditEntry.ts'
import type { ChangedReplicatorStatusPayload, TakenOffline } from '../../contracts/replicatorPayloads.ts'
import { DatabaseError } from '../databases/databaseError.ts'
import type { Channel } from '../databases/dialect.ts'
import type { Replication } from '../databases/replication.ts'
import { withTimeout } from '../databases/withTimeout.ts'
import { isStarted, isStopped, pendingErrorOf, stateOf } from './channelState.ts'
import type { OfflineMarks } from './offlineMarks.ts'
import type { Operation, OperationLock } from './operationLock.ts'
import { effectTimedOut, rejectReset, replicationBroken, type Services } from './replicatorProblems.ts'
import { replicaStatus } from './serviceStatus.ts'

/** Rules of an operation for each channel. */
type OperationRule = {
  /** Returns true if the server has anything to do. */
  readonly needsChange: (channel: Channel) => boolean
  readonly apply: (replication: Replication, channel: string) => Promise<void>
  readonly isReached: (channel: Channel) => boolean
  /** Returns true if the goal will not be reached, however long one waits. */
  readonly hasFailed: (channel: Channel) => boolean
  /** True if the goal must hold for a moment: an error shows only when the thread comes to it. */
  readonly settles: boolean
}

const isForgotten = ({ received, receiverError, applierError }: Channel): boolean =>
  received === null && !receiverError && !applierError

const never = (): boolean => false

/** Rules of each operation. */
const operationRules: Readonly<Record<Operation, OperationRule>> = {
  online: {
    needsChange: (channel) => !isStarted(channel),
    apply: (replication, channel) => replication.start(channel),
    isReached: (channel) => stateOf(channel) === 'ONLINE',
    // One that only cannot connect tries again by itself.
    hasFailed: (channel) => pendingErrorOf(channel) !== null && !isStarted(channel),
    settles: true,
  },
  offline: {
    needsChange: (channel) => !isStopped(channel),
    apply: (replication, channel) => replication.stop(channel),
    isReached: isStopped,
    hasFailed: never,
    settles: false,
  },
  reset: {
    needsChange: (channel) => !isForgotten(channel),
    apply: (replication, channel) => replication.reset(channel),
    isReached: isForgotten,
    hasFailed: never,
    settles: false,
  },
}

/** Clock and limits of operations, in milliseconds. */
export type OperationTiming = {
  /** Limit for the effect of an operation. */
  readonly effect: number
  /** Time that replication must run without an error to count as online. */
  readonly settle: number
  /** From one look at the server to the next. */
  readonly poll: number
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

const statesOf = (services: Services): object =>
  Object.fromEntries([...services].map(([name, channel]) => [name, stateOf(channel)]))

/**
 * Runs an operation, waits for its effect and returns the status then. Repeated, it
 * changes nothing. Throws problems, and a `DatabaseError` where the database fails.
 */
export async function operate(options: {
  readonly operation: Operation
  readonly replication: Replication
  readonly operationLock: OperationLock
  readonly timing: OperationTiming
  /** Host of the database server. */
  readonly host: string
  /** The services that are meant, as they are now. */
  readonly read: () => Promise<Services>
  readonly marks: OfflineMarks
  /** Mark of this caller. */
  readonly mark: TakenOffline
  /** True: only finds out what it would change. */
  readonly dry: boolean
  /** Told what was, what is and whether anything was changed. */
  readonly audit: (facts: AuditFacts) => void
}): Promise<ChangedReplicatorStatusPayload> {
  const { operation, replication, operationLock, timing, host, read, marks, mark, dry, audit } = options
  const { needsChange, apply, isReached, hasFailed, settles } = operationRules[operation]
  const end = operationLock.begin(operation)
  const deadline = timing.now() + timing.effect
  const changed = new Set<string>()
  let unfinished: Promise<void> | undefined

  async function command(channel: string): Promise<void> {
    const work = apply(replication, channel)
    const late = (): DatabaseError => {
      unfinished = work
      const message = `The database did not end the ${operation} within ${timing.effect / 1000} s and goes on with it.`
      return new DatabaseError({
        code: 'timeout',
        message: `${message} replicator/status shows how far it is.`,
      })
    }
    await withTimeout({ milliseconds: Math.max(0, deadline - timing.now()), work, late })
  }

  async function changeAll(services: Services): Promise<void> {
    for (const [name, channel] of services) {
      if (!needsChange(channel)) continue
      try {
        await command(channel.name)
      } catch (error) {
        if (!(error instanceof DatabaseError) || changed.size === 0) throw error
        const message = `${error.message} Changed before that: ${[...changed].join(', ')}.`
        throw new DatabaseError({ code: error.code, message, cause: error })
      }
      changed.add(name)
      audit({ changed: true })
    }
  }

  async function reach(): Promise<Services> {
    let since: number | undefined
    for (;;) {
      const services = await read()
      audit({ after: statesOf(services) })
      const all = [...services.values()]
      if (all.some(hasFailed)) throw replicationBroken(services)
      const now = timing.now()
      if (all.every(isReached)) {
        since ??= now
        if (!settles || now - since >= timing.settle) return services
      } else {
        since = undefined
        if (now >= deadline) {
          const hasError = operation === 'online' && all.some((it) => isStarted(it) && pendingErrorOf(it))
          throw hasError
            ? replicationBroken(services)
            : effectTimedOut({ operation, services, milliseconds: timing.effect })
        }
      }
      await timing.wait(timing.poll)
    }
  }

  const result = (services: Services, isChanged: (name: string, channel: Channel) => boolean) =>
    Object.fromEntries(
      [...services].map(([name, channel]) => [
        name,
        {
          ...replicaStatus({ channel, state: stateOf(channel), host, takenOffline: marks.of(name) }),
          changed: isChanged(name, channel),
        },
      ]),
    )

  try {
    const before = await read()
    operationLock.setServices(new Set(before.keys()))
    audit({ before: statesOf(before) })
    if (operation === 'reset') rejectReset(before)
    if (dry) return result(before, (_name, channel) => needsChange(channel))
    // Before anybody sees a thread that stands still, or runs.
    if (operation === 'offline') marks.add(before.keys(), mark)
    if (operation === 'online') marks.remove(before.keys())
    const isThere = [...before.values()].every(isReached)
    if (isThere) audit({ after: statesOf(before) })
    else await changeAll(before)
    const after = isThere ? before : await reach()
    return result(after, (name) => changed.has(name))
  } finally {
    // Until the server is done the next operation would meet a half-done one.
    if (unfinished) unfinished.catch(() => undefined).finally(end)
    else end()
  }
}
