import { ProblemError } from '../../api/problemError.ts'
import { switchSteps } from '../../contracts/choices.ts'
import type { HoldPayload, SwitchStep } from '../../contracts/managerPayloads.ts'
import type { Clock } from '../clock.ts'
import type { DataSourceTable } from './dataSourceTable.ts'
import type { OpenSwitch } from './decideWriter.ts'
import type { HoldRecord } from './managerState.ts'

/** Order to hold the clients of a service for a switch; `isOwn` where this manager makes it. */
export type HoldOrder = HoldPayload & {
  readonly service: string
  readonly by: string
  readonly isOwn: boolean
}

/** Hold of a service's clients; it stays after its time, until it is released or another one takes its place. */
export type Hold = HoldRecord & { readonly isInForce: boolean }

/** Longest time of a hold, in milliseconds: a clock that was set does not make one longer. */
const longest = 600_000

const positionOf = (step: SwitchStep): number => switchSteps.indexOf(step)

const laterStep = (a: SwitchStep, b: SwitchStep): SwitchStep => (positionOf(a) < positionOf(b) ? b : a)

const wrongState = (detail: string): ProblemError => new ProblemError({ code: 'wrong-state', detail })

/** Problem of an order while the clients are held for another switch. */
const otherSwitch = ({ service, operation, id, from, to, step, by }: HoldRecord): ProblemError =>
  new ProblemError({
    code: 'operation-running',
    detail: `A ${operation} of ${service} from ${from} to ${to} is under way, at the step ${step}: ${id}, by ${by}.`,
  })

/** Holds of all services; each change is on disk when its call returns. */
export type SwitchHolds = {
  /** Throws a `not-found` problem. */
  of(service: string): Hold | undefined
  /** Returns the switch that decides about the writer; null for none. */
  openSwitch(service: string): OpenSwitch | null
  /** Begins or renews a hold; `known` is the name of the writer. Returns true if that changed anything. Throws problems. */
  set(order: HoldOrder, known: string | null): boolean
  /** Returns the hold that a switch may release; undefined for none. Throws an `operation-running` problem. */
  releasable(service: string, id: string): Hold | undefined
  end(service: string): void
  /** Lets the time of a hold run out now, without a check before. */
  expire(service: string): void
  /** Notes that the servers said who the writer is after the time of a hold ran out. */
  setDecided(service: string): void
  close(): void
}

/**
 * Keeps the holds of a table. `beforeExpiry` is called when the time of one runs out, and `onExpired` after it, once it is not
 * in force any more.
 */
export function createSwitchHolds(options: {
  readonly table: DataSourceTable
  readonly now: () => Date
  readonly after: Clock['after']
  readonly beforeExpiry: (service: string) => Promise<unknown>
  readonly onExpired: (hold: Hold) => void
}): SwitchHolds {
  const { table, now, after, beforeExpiry, onExpired } = options
  /** Of the holds that are in force. */
  const timers = new Map<string, { readonly id: string; readonly cancel: () => void }>()

  const isInForce = ({ service, id }: HoldRecord): boolean => timers.get(service)?.id === id

  function of(service: string): Hold | undefined {
    table.views(service)
    const record = table.holdRecord(service)
    return record && { ...record, isInForce: isInForce(record) }
  }

  function start({ service, id }: HoldRecord, milliseconds: number): void {
    timers.get(service)?.cancel()
    const timer = {
      id,
      cancel: after(Math.min(milliseconds, longest), () => {
        void beforeExpiry(service).then(() => {
          if (timers.get(service) !== timer) return
          timers.delete(service)
          const record = table.holdRecord(service)
          // Its service may have left the map.
          if (record?.id === id) onExpired({ ...record, isInForce: false })
        })
      }),
    }
    timers.set(service, timer)
  }

  function stop(service: string): void {
    timers.get(service)?.cancel()
    timers.delete(service)
  }

  for (const { name } of table.map().services) {
    const record = table.holdRecord(name)
    const remaining = record ? Date.parse(record.until) - now().getTime() : 0
    if (record && remaining > 0) start(record, remaining)
  }

  /** Returns what an order makes of the present hold; throws where it may not. */
  function renewed(order: HoldOrder, present: Hold | undefined, known: string | null): HoldRecord {
    const { service, operation, id, from, to, step, milliseconds, by, isOwn } = order
    const until = new Date(now().getTime() + milliseconds).toISOString()
    if (present?.id === id) {
      if (present.from !== from || present.to !== to || present.operation !== operation) {
        throw wrongState(`The ${present.operation} ${id} is from ${present.from} to ${present.to}.`)
      }
      const { isInForce: _, ...record } = present
      return {
        ...record,
        step: laterStep(present.step, step),
        until,
        isOwn: present.isOwn || isOwn,
        isDecided: false,
      }
    }
    if (present?.isInForce) throw otherSwitch(present)
    if (from === to) throw wrongState(`${to} is the primary of ${service} already.`)
    if (from !== known) {
      throw wrongState(
        `The primary of ${service} is ${known ?? 'not known'} here, so there is no switch from ${from}.`,
      )
    }
    return { id, service, operation, from, to, step, by, until, isOwn, isDecided: false }
  }

  return {
    of,
    openSwitch: (service) => {
      const record = table.holdRecord(service)
      if (!record || (record.isDecided && !isInForce(record))) return null
      const { from, to, step } = record
      // Other managers record their steps on their own hosts.
      const mayBePromoted = !record.isOwn || positionOf(step) >= positionOf('promote')
      return { from, to, isInForce: isInForce(record), mayBePromoted }
    },
    set: (order, known) => {
      const { service, from, to, milliseconds } = order
      for (const name of [from, to]) table.view({ service, name })
      const present = of(service)
      const next = renewed(order, present, known)
      const isSame =
        present?.isInForce && (['step', 'until', 'isOwn'] as const).every((it) => present[it] === next[it])
      if (!isSame) table.setHold(service, next)
      start(next, milliseconds)
      return !isSame
    },
    releasable: (service, id) => {
      const hold = of(service)
      if (hold?.isInForce && hold.id !== id) throw otherSwitch(hold)
      return hold?.id === id ? hold : undefined
    },
    end: (service) => {
      table.setHold(service, null)
      stop(service)
    },
    expire: (service) => {
      const record = table.holdRecord(service)
      if (!record || !isInForce(record)) return
      stop(service)
      onExpired({ ...record, isInForce: false })
    },
    setDecided: (service) => {
      const record = table.holdRecord(service)
      if (record) table.setHold(service, { ...record, isDecided: true })
    },
    close: () => {
      for (const service of [...timers.keys()]) stop(service)
    },
  }
}
