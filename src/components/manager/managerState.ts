import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { ProblemError } from '../../api/problemError.ts'
import { reasonOf, StartError } from '../../api/startError.ts'
import { type Policy, policies, SwitchOperation, SwitchStep } from '../../contracts/managerPayloads.ts'
import { exact, orNull, type ReadonlyStatic } from '../../contracts/schemaParts.ts'
import { MapName, recordedStates, ServicesMap } from '../../contracts/servicesMap.ts'
import type { StateFile } from '../stateFile.ts'
import { addressOf, keyOf, serverOf, sourcesOf } from './dataSources.ts'

const Mark = Type.Object(
  {
    service: MapName,
    name: MapName,
    host: Type.String(),
    port: Type.Integer(),
    state: Type.Enum([...recordedStates]),
    since: Type.String({ format: 'date-time' }),
    by: Type.String(),
    reason: Type.Union([Type.String(), Type.Null()]),
  },
  exact,
)

const StoredWriter = Type.Object(
  {
    service: MapName,
    name: MapName,
    host: Type.String(),
    port: Type.Integer(),
    mapped: Type.Union([Type.String(), Type.Null()]),
  },
  exact,
)

const StoredHold = Type.Object(
  {
    id: Type.String(),
    service: MapName,
    operation: SwitchOperation,
    from: MapName,
    to: MapName,
    step: SwitchStep,
    by: Type.String(),
    until: Type.String({ format: 'date-time' }),
    isOwn: Type.Boolean(),
    isDecided: Type.Boolean(),
  },
  exact,
)

const StoredState = Type.Object(
  {
    version: Type.Literal(1),
    since: Type.String({ format: 'date-time', description: 'When the first manager of this host began.' }),
    map: orNull(ServicesMap, 'What calls made; null while the installed one is in effect.'),
    policies: Type.Array(Type.Object({ service: MapName, policy: Type.Enum([...policies]) }, exact), {
      description: 'Of the services whose policy somebody set.',
    }),
    marks: Type.Array(Mark, {
      description: 'Of the data sources whose state somebody or something changed.',
    }),
    writers: Type.Array(StoredWriter, {
      description: 'Of the services whose writer is not the primary of the map.',
    }),
    holds: Type.Array(StoredHold),
  },
  exact,
)

/** State that a data source was put into, when, by whom and why. It holds for this address alone. */
export type StateRecord = Readonly<Static<typeof Mark>>

/**
 * Data source that took the place of the map's primary by other means. `mapped` is that primary and its address: the
 * record ends when the map names another one.
 */
type WriterRecord = Readonly<Static<typeof StoredWriter>>

/**
 * Hold of a service's clients for a switch; one for each service. It stays after its time, until it is released or another
 * switch begins. `isOwn`: this manager makes the switch. `isDecided`: its time ran out, and the servers said since who the
 * writer is.
 */
export type HoldRecord = Readonly<Static<typeof StoredHold>>

/** State of a manager on disk. */
export type ManagerState = ReadonlyStatic<typeof StoredState>

/** Returns the state of a new manager. */
const initialState = (now: Date): ManagerState => ({
  version: 1,
  since: now.toISOString(),
  map: null,
  policies: [],
  marks: [],
  writers: [],
  holds: [],
})

/** Checks the content of the state file at `path`; undefined if there was none. Throws a `StartError`. */
export function readState(value: unknown, path: string): ManagerState | undefined {
  if (value === undefined) return undefined
  if (Value.Check(StoredState, value)) return value
  const [error] = Value.Errors(StoredState, value)
  const where = error ? `${error.instancePath || 'the file'} ${error.message}` : 'it has another shape'
  throw new StartError(`cannot use the state ${path}: ${where}. Remove it to start with what was installed`)
}

/** Returns the policy of a service; AUTOMATIC unless somebody set another. */
export const policyOf = ({ policies: set }: ManagerState, service: string): Policy =>
  set.find((it) => it.service === service)?.policy ?? 'AUTOMATIC'

/** Returns the state with another policy of a service. */
export const withPolicy = (state: ManagerState, service: string, policy: Policy): ManagerState => ({
  ...state,
  policies: [...state.policies.filter((it) => it.service !== service), { service, policy }],
})

/** Returns the state with these marks in place of those that the same data sources had. */
export function withRecords(state: ManagerState, marks: readonly StateRecord[]): ManagerState {
  const replaced = new Set(marks.map(keyOf))
  return { ...state, marks: [...state.marks.filter((it) => !replaced.has(keyOf(it))), ...marks] }
}

/** Returns the state with another writer of a service; null for the primary of the map. */
export function withWriter(state: ManagerState, service: string, writer: WriterRecord | null): ManagerState {
  const others = state.writers.filter((it) => it.service !== service)
  return { ...state, writers: writer ? [...others, writer] : others }
}

/** Returns the state with another hold of a service; null for none. */
export function withHold(state: ManagerState, service: string, hold: HoldRecord | null): ManagerState {
  const others = state.holds.filter((it) => it.service !== service)
  return { ...state, holds: hold ? [...others, hold] : others }
}

/** Returns the one primary of a service in the map with its address, as one text; null for none and for several. */
export function mappedPrimary({ services }: ServicesMap, service: string): string | null {
  const sources = services.find(({ name }) => name === service)?.datasources ?? []
  const [first, second] = sources.filter(({ role }) => role === 'primary')
  return first && !second ? `${first.name} ${serverOf(first)}` : null
}

/** Returns the state without services that are not in the map, and without data sources that are not at their address. */
export function dropAbsent(state: ManagerState, map: ServicesMap): ManagerState {
  const present = new Set(sourcesOf(map).map(addressOf))
  const names = new Set(sourcesOf(map).map(keyOf))
  const services = new Set(map.services.map(({ name }) => name))
  return {
    ...state,
    policies: state.policies.filter(({ service }) => services.has(service)),
    marks: state.marks.filter((mark) => present.has(addressOf(mark))),
    writers: state.writers.filter(
      (it) => present.has(addressOf(it)) && mappedPrimary(map, it.service) === it.mapped,
    ),
    holds: state.holds.filter(({ service, from, to }) =>
      [from, to].every((name) => names.has(keyOf({ service, name }))),
    ),
  }
}

/** State of a manager in memory and on disk: always the same. */
export type StateStore = {
  state(): ManagerState
  /** Makes a state the one in effect; it is on disk when this returns. Throws a `not-ready` problem, and then nothing changed. */
  replace(next: ManagerState): void
  /** Returns why the last change could not be written; undefined once one could. */
  problem(): string | undefined
  /** Number of changes that could not be written. */
  writeFailures(): number
}

/**
 * Opens the state at a path for this installation, written at once where there is none: so it is known at the
 * start that it can be kept. Throws a `StartError`.
 */
export function openStateStore(options: {
  readonly file: StateFile
  readonly path: string
  readonly installed: ServicesMap
  readonly now: Date
}): StateStore {
  const { file, path, installed, now } = options
  const read = readState(file.read(), path)
  const begun = read ?? initialState(now)
  if (read === undefined) {
    try {
      file.write(begun)
    } catch (error) {
      throw new StartError(`cannot write the state ${path}: ${reasonOf(error)}`, error)
    }
  }
  let current = dropAbsent(begun, begun.map ?? installed)
  let problem: string | undefined
  let failures = 0
  return {
    state: () => current,
    replace: (next) => {
      try {
        file.write(next)
      } catch (error) {
        problem = `the state ${path} cannot be written: ${reasonOf(error)}`
        failures += 1
        throw new ProblemError({ code: 'not-ready', detail: `Nothing was changed: ${problem}.` })
      }
      problem = undefined
      current = next
    },
    problem: () => problem,
    writeFailures: () => failures,
  }
}
