import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { StartError } from '../../api/startError.ts'
import { TakenOffline } from '../../contracts/replicatorPayloads.ts'
import { exact } from '../../contracts/schemaParts.ts'
import type { Channel } from '../databases/dialect.ts'
import type { StateFile } from '../stateFile.ts'
import { isStopped } from './channelState.ts'

const StoredMarks = Type.Object(
  { version: Type.Literal(1), offline: Type.Record(Type.String(), TakenOffline) },
  exact,
)

/** Marks of services that somebody took offline, and since when. A mark ends once a thread of its service runs again. */
export type OfflineMarks = {
  of(service: string): TakenOffline | null
  /** Marks services that have no mark. */
  add(services: Iterable<string>, mark: TakenOffline): void
  remove(services: Iterable<string>): void
  /** Ends the marks of services that were started by other means, or that are gone. */
  endStarted(services: ReadonlyMap<string, Channel>): void
}

/**
 * Opens the marks of a state file; without a file they last as long as the process. A mark that cannot be written goes to
 * the log: it keeps nobody from starting or stopping replication. Throws a `StartError`.
 */
export function openOfflineMarks(
  file: StateFile | undefined,
  log: { error(facts: object, message: string): void },
): OfflineMarks {
  let marks = readMarks(file)

  function replace(next: ReadonlyMap<string, TakenOffline>): void {
    marks = next
    try {
      file?.write({ version: 1, offline: Object.fromEntries(next) })
    } catch (error) {
      log.error(
        { err: error },
        'the state of the replicator cannot be written: it does not survive a restart',
      )
    }
  }

  const remove = (services: Iterable<string>): void => {
    const gone = new Set([...services].filter((name) => marks.has(name)))
    if (gone.size > 0) replace(new Map([...marks].filter(([name]) => !gone.has(name))))
  }

  return {
    of: (service) => marks.get(service) ?? null,
    add: (services, mark) => {
      const added = [...services].filter((name) => !marks.has(name))
      if (added.length > 0) replace(new Map([...marks, ...added.map((name) => [name, mark] as const)]))
    },
    remove,
    endStarted: (services) =>
      remove(
        [...marks.keys()].filter((name) => {
          const channel = services.get(name)
          return channel === undefined || !isStopped(channel)
        }),
      ),
  }
}

function readMarks(file: StateFile | undefined): ReadonlyMap<string, TakenOffline> {
  const stored = file?.read()
  if (stored === undefined) return new Map()
  if (Value.Check(StoredMarks, stored)) return new Map(Object.entries(stored.offline))
  throw new StartError(
    'the state file of the replicator has other members than a replicator writes. Remove it to start without',
  )
}
