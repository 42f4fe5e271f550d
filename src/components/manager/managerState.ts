import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { StartError } from '../../api/startError.ts'
import { type Policy, policies } from '../../contracts/managerPayloads.ts'
import { MapName, recordedStates, ServicesMap } from '../../contracts/servicesMap.ts'
import { addressOf, keyOf, sourcesOf } from './dataSources.ts'

const exact = { additionalProperties: false }

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

const Kept = Type.Object(
  {
    version: Type.Literal(1),
    since: Type.String({ format: 'date-time' }),
    map: Type.Union([ServicesMap, Type.Null()]),
    policies: Type.Array(Type.Object({ service: MapName, policy: Type.Enum([...policies]) }, exact)),
    marks: Type.Array(Mark),
  },
  exact,
)

/** The state that a data source was brought into, when, by whom and why. It holds for this address alone. */
export type Mark = Readonly<Static<typeof Mark>>

/** What a manager keeps on disk. */
export type ManagerState = {
  readonly version: 1
  /** When the first manager of this host began. */
  readonly since: string
  /** The services map that calls made; null while the installed one is in effect. */
  readonly map: ServicesMap | null
  /** Of the services whose policy somebody set. */
  readonly policies: readonly { readonly service: string; readonly policy: Policy }[]
  /** Of the data sources whose state somebody or something changed. */
  readonly marks: readonly Mark[]
}

/** What a manager begins with. */
export const freshState = (now: Date): ManagerState => ({
  version: 1,
  since: now.toISOString(),
  map: null,
  policies: [],
  marks: [],
})

/** What the state file at `path` held as a state; undefined where there was none. Throws a `StartError`. */
export function readState(value: unknown, path: string): ManagerState | undefined {
  if (value === undefined) return undefined
  if (Value.Check(Kept, value)) return value
  const [error] = Value.Errors(Kept, value)
  const where = error ? `${error.instancePath || 'the file'} ${error.message}` : 'it has another shape'
  throw new StartError(`cannot use the state ${path}: ${where}. Remove it to start with what was installed`)
}

/** The policy of a service; AUTOMATIC unless somebody set another. */
export const policyOf = ({ policies: set }: ManagerState, service: string): Policy =>
  set.find((it) => it.service === service)?.policy ?? 'AUTOMATIC'

/** The state with another policy of a service. */
export const withPolicy = (state: ManagerState, service: string, policy: Policy): ManagerState => ({
  ...state,
  policies: [...state.policies.filter((it) => it.service !== service), { service, policy }],
})

/** The state with these marks in place of those that the same data sources had. */
export function withMarks(state: ManagerState, marks: readonly Mark[]): ManagerState {
  const replaced = new Set(marks.map(keyOf))
  return { ...state, marks: [...state.marks.filter((it) => !replaced.has(keyOf(it))), ...marks] }
}

/** The state without what it says of services that are not in the map, and of data sources that are not at their address. */
export function forgetGone(state: ManagerState, map: ServicesMap): ManagerState {
  const present = new Set(sourcesOf(map).map(addressOf))
  const services = new Set(map.services.map(({ name }) => name))
  return {
    ...state,
    policies: state.policies.filter(({ service }) => services.has(service)),
    marks: state.marks.filter((mark) => present.has(addressOf(mark))),
  }
}
