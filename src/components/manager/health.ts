import type { ServicesMap } from '../../contracts/servicesMap.ts'
import type { ServerReading } from '../databases/probe.ts'
import type { Finding, Observation } from './checkResult.ts'
import { addressOf, type DataSource, sourcesOf } from './dataSources.ts'
import { nextStreak, noStreak, type Streak } from './decideState.ts'

/** Results of the checks of a data source since the process started. */
export type Health = {
  readonly streak: Streak
  /** Result of the last check; null before the first. */
  readonly observation: Observation | null
  /** The last reading, however long ago; null before the first. */
  readonly known: ServerReading | null
  /** When that was, in milliseconds that never go back; null before the first. */
  readonly readAt: number | null
  /** Checks in a row that did not reach the server. */
  readonly unreached: number
  readonly checkedAt: Date | null
  readonly seqno: number | null
  /** Whole seconds that it is behind; null where it is no replica and where the server cannot say. */
  readonly latency: number | null
  /** Duration of the last check. */
  readonly milliseconds: number | null
  readonly checks: Readonly<Record<Finding['result'], number>>
}

const unknown: Health = {
  streak: noStreak,
  observation: null,
  known: null,
  readAt: null,
  unreached: 0,
  checkedAt: null,
  seqno: null,
  latency: null,
  milliseconds: null,
  checks: { passed: 0, failed: 0, unable: 0 },
}

const known = (values: readonly (number | null)[]): readonly number[] => values.filter((it) => it !== null)

/** Reads positions. Of several channels the one that is furthest behind counts. */
function readPositions(observation: Observation): Pick<Health, 'seqno' | 'latency'> {
  if (observation.kind !== 'answered') return { seqno: null, latency: null }
  const { channels, position } = observation.reading
  if (channels.length === 0) return { seqno: position?.sequence ?? null, latency: null }
  const sequences = known(channels.map((it) => it.sequence))
  const latencies = known(channels.map((it) => it.secondsBehind))
  return {
    seqno: sequences.length > 0 ? Math.min(...sequences) : null,
    latency: latencies.length > 0 ? Math.max(...latencies) : null,
  }
}

type Address = Pick<DataSource, 'service' | 'name' | 'host' | 'port'>

/** Health of each data source at its address, in memory only. */
export type HealthTable = {
  of(source: Address): Health
  /** Records a check. */
  record(facts: {
    readonly source: DataSource
    readonly observation: Observation
    readonly at: Date
    /** Milliseconds that never go back. */
    readonly elapsed: number
  }): void
  /** Counts the result of a regular check. */
  count(source: Address, check: { readonly result: Finding['result']; readonly milliseconds: number }): void
  /** Begins a new streak, as for a new state. */
  resetStreak(source: Address): void
  /** Forgets all but what is in the map, at the same address. */
  retain(map: ServicesMap): void
}

export function createHealthTable(): HealthTable {
  const table = new Map<string, Health>()
  const of = (source: Address): Health => table.get(addressOf(source)) ?? unknown
  return {
    of,
    record: ({ source, observation, at, elapsed }) => {
      const before = of(source)
      table.set(addressOf(source), {
        ...before,
        observation,
        ...(observation.kind === 'answered' && { known: observation.reading, readAt: elapsed }),
        unreached: observation.kind === 'failed' ? before.unreached + 1 : 0,
        checkedAt: at,
        ...readPositions(observation),
      })
    },
    count: (source, { result, milliseconds }) => {
      const before = of(source)
      const checks = { ...before.checks, [result]: before.checks[result] + 1 }
      table.set(addressOf(source), {
        ...before,
        streak: nextStreak(before.streak, result),
        milliseconds,
        checks,
      })
    },
    resetStreak: (source) => table.set(addressOf(source), { ...of(source), streak: noStreak }),
    retain: (map) => {
      const names = new Set(sourcesOf(map).map(addressOf))
      for (const key of table.keys()) {
        if (!names.has(key)) table.delete(key)
      }
    },
  }
}
