import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { ProblemError } from '../../api/problemError.ts'
import { reasonOf, StartError } from '../../api/startError.ts'
import { type ConnectorMode, connectorModes } from '../../contracts/connectorPayloads.ts'
import { type Routing, RoutingPayload } from '../../contracts/routing.ts'
import { exact } from '../../contracts/schemaParts.ts'
import { ServicesMap } from '../../contracts/servicesMap.ts'
import type { StateFile } from '../stateFile.ts'

/** Mode of the connector for new connections, since when (ISO 8601), and by whom. */
export type Mode = { readonly value: ConnectorMode; readonly since: string; readonly by: string }

/** Mode of a connector that nobody has changed yet. */
export const installedMode = (now: Date): Mode => ({
  value: 'ONLINE',
  since: now.toISOString(),
  by: 'installation',
})

/** Returns the mode after a change; the very same object if nothing changes. */
export const changedMode = (
  mode: Mode,
  order: { readonly value: ConnectorMode; readonly by: string; readonly now: Date },
): Mode =>
  mode.value === order.value ? mode : { value: order.value, since: order.now.toISOString(), by: order.by }

const Stored = Type.Object(
  {
    version: Type.Literal(1),
    mode: Type.Object(
      { value: Type.Enum([...connectorModes]), since: Type.String({ minLength: 1 }), by: Type.String() },
      exact,
    ),
    services: Type.Union([ServicesMap, Type.Null()]),
    lastKnown: Type.Unknown(),
  },
  exact,
)

/** Drops ONLINE states from before this process: the manager has not confirmed them yet. */
const unconfirmed = ({ services }: Routing): Routing => ({
  services: services.map((service) => ({
    ...service,
    datasources: service.datasources.map((it) =>
      it.state === 'ONLINE' ? { ...it, state: 'UNKNOWN' as const } : it,
    ),
  })),
})

/** A manager's word in another shape, as another release kept it, is none. */
const asRead = ({ lastKnown, ...state }: Static<typeof Stored>): StoredState => ({
  ...state,
  lastKnown: Value.Check(RoutingPayload, lastKnown) ? unconfirmed(lastKnown) : null,
})

/** State that a connector keeps over restarts. */
type StoredState = {
  readonly version: 1
  readonly mode: Mode
  /** The map as calls changed it; null: as installed. */
  readonly services: ServicesMap | null
  /** Last word of the managers; null if none was ever received. */
  readonly lastKnown: Routing | null
}

export type StateStore = {
  current(): StoredState
  /** Puts a change on disk, then in effect. Throws a `not-ready` problem, and then nothing has changed. */
  change(next: Partial<StoredState>): void
}

/**
 * Opens the state at a path, written with this mode where there is none: a start proves that it can be kept.
 * Throws a `StartError`.
 */
export function openStateStore(options: {
  readonly file: StateFile
  readonly path: string
  readonly mode: Mode
}): StateStore {
  const { file, path } = options
  const read: unknown = file.read()
  if (read !== undefined && !Value.Check(Stored, read)) {
    throw new StartError(
      `cannot use the state ${path}: it is not what this version of a connector writes. ` +
        'Remove it to start with what was installed',
    )
  }
  let state: StoredState = read
    ? asRead(read)
    : { version: 1, mode: options.mode, services: null, lastKnown: null }
  if (read === undefined) {
    try {
      file.write(state)
    } catch (error) {
      throw new StartError(`cannot write the state ${path}: ${reasonOf(error)}`, error)
    }
  }
  return {
    current: () => state,
    change: (next) => {
      const changed = { ...state, ...next }
      try {
        file.write(changed)
      } catch (error) {
        const detail = `The state ${path} cannot be written: ${reasonOf(error)}. Nothing was changed.`
        throw new ProblemError({ code: 'not-ready', detail })
      }
      state = changed
    },
  }
}
