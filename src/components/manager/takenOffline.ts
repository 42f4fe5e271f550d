import type { TakenOffline } from '../../contracts/replicatorPayloads.ts'
import type { ServerReading } from '../databases/probe.ts'
import type { Observation } from './checkResult.ts'
import { type DataSource, type DataSourceKey, keyOf } from './dataSources.ts'

/** Person who took the replication of a data source offline; null for nobody, undefined while nobody who knows answers. */
export type Answer = TakenOffline | null | undefined

/** Data sources whose replication a person took offline, as the replicators of their hosts say. */
export type TakenOfflineTable = {
  of(source: DataSourceKey): Answer
  /** Takes the result of a check, and asks the replicator of the host where that may say something new. */
  look(source: DataSource, observation: Observation): void
}

/** Milliseconds between two questions about replication that stands still. */
const askAgain = 5000

const standsStill = ({ channels }: ServerReading): boolean =>
  channels.some(({ receiver, applier }) => receiver === 'stopped' || applier === 'stopped')

type Entry = { readonly answer: Answer; readonly stood: boolean; readonly askedAt: number }

export function createTakenOfflineTable(options: {
  /** Asks the replicator of the data source's host. Never rejects. */
  readonly ask: (source: DataSourceKey) => Promise<Answer>
  /** True for the data source of this host: its replicator has to see that replication runs again. */
  readonly isOwn: (source: DataSourceKey) => boolean
  /** Milliseconds. */
  readonly now: () => number
  /** Told of another answer. */
  readonly onChange: (service: string) => void
}): TakenOfflineTable {
  const { ask, isOwn, now, onChange } = options
  const table = new Map<string, Entry>()
  const asking = new Set<string>()

  async function askAbout(source: DataSourceKey): Promise<void> {
    const key = keyOf(source)
    const before = table.get(key)
    if (before === undefined || asking.has(key)) return
    table.set(key, { ...before, askedAt: now() })
    asking.add(key)
    const answer = await ask(source).finally(() => asking.delete(key))
    const entry = table.get(key)
    if (entry === undefined || JSON.stringify(entry.answer) === JSON.stringify(answer)) return
    table.set(key, { ...entry, answer })
    onChange(source.service)
  }

  return {
    of: (source) => table.get(keyOf(source))?.answer,
    look: (source, observation) => {
      if (observation.kind !== 'answered') return
      const key = keyOf(source)
      const before = table.get(key) ?? { answer: undefined, stood: false, askedAt: Number.NEGATIVE_INFINITY }
      const stands = standsStill(observation.reading)
      const isDue = now() - before.askedAt >= askAgain
      table.set(key, {
        ...before,
        stood: stands,
        ...(stands ? {} : { answer: isOwn(source) ? before.answer : null }),
      })
      const isNew = stands
        ? !before.stood || isDue
        : isOwn(source) && before.answer !== null && (before.stood || isDue)
      if (isNew) void askAbout(source)
    },
  }
}
