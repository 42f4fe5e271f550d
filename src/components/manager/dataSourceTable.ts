import { ProblemError } from '../../api/problemError.ts'
import { hasDatabase, withoutDatabase } from '../../contracts/component.ts'
import type { Policy } from '../../contracts/managerPayloads.ts'
import type { RecordedState, ServicesMap } from '../../contracts/servicesMap.ts'
import { type EditedMap, replaceMap } from '../editMap.ts'
import { addressOf, type DataSource, type DataSourceKey, keyOf, serverOf, sourcesOf } from './dataSources.ts'
import {
  dropAbsent,
  type HoldRecord,
  type ManagerState,
  mappedPrimary,
  policyOf,
  type StateRecord,
  type StateStore,
  withHold,
  withPolicy,
  withRecords,
  withWriter,
} from './managerState.ts'

/** Problem of a path that names no service. */
const noService = (): ProblemError =>
  new ProblemError({
    code: 'not-found',
    detail:
      'The services map of this manager has no service of that name. The call manager/cluster/topology lists them.',
  })

/** Problem of a path that names no data source of the service. */
const noDataSource = ({ services }: ServicesMap): ProblemError =>
  new ProblemError({
    code: 'not-found',
    detail: hasDatabase({ component: 'manager', services })
      ? 'The service has no data source of that name. The call manager/cluster/topology lists those that it has.'
      : `The service has no data source; ${withoutDatabase.manager}.`,
  })

/** Problem of a check without an account for it. */
export const noMonitor = (): ProblemError =>
  new ProblemError({
    code: 'no-database',
    detail:
      'The manager has no account to check data sources with. Set monitor-user and monitor-password, and install again.',
  })

/** Data source with its state. */
export type DataSourceView = DataSource & Pick<StateRecord, 'state' | 'since' | 'by' | 'reason'>

/** Services, data sources, their states and policies; each change is on disk when the call of it returns. */
export type DataSourceTable = {
  readonly installed: ServicesMap
  map(): ServicesMap
  /** Throws a `not-found` problem. */
  policy(service: string): Policy
  view(key: DataSourceKey): DataSourceView
  /** The data sources of a service. */
  views(service: string): readonly DataSourceView[]
  /** Sets the state of data sources together. Returns those that were not in it already. */
  setState(
    keys: readonly DataSourceKey[],
    to: { readonly state: RecordedState; readonly by: string; readonly reason?: string | null },
  ): readonly DataSource[]
  /** Returns the data source that is known as the writer of a service; null where the map names no primary, or several. */
  writer(service: string): string | null
  /** Makes a data source the known writer; `fenced` with its reason is FAILED in the same change. */
  setWriter(
    service: string,
    name: string,
    fenced: { readonly name: string; readonly reason: string } | null,
  ): void
  /** Returns the hold of a service's clients, also one whose time ran out. */
  holdRecord(service: string): HoldRecord | undefined
  /** Keeps another hold of a service; null for none. */
  setHold(service: string, hold: HoldRecord | null): void
  /** Returns true if that changed anything. */
  setPolicy(service: string, policy: Policy): boolean
  /** Changes the map as `edit` says. */
  editMap(by: string, edit: (map: ServicesMap) => EditedMap): boolean
}

const untouched = { state: 'ONLINE', by: 'installation', reason: null } as const

/** Returns the marks of a state by data source, and a place for the views of its services. */
const derive = (of: ManagerState) => ({
  of,
  marks: new Map(of.marks.map((it) => [keyOf(it), it])),
  views: new Map<string, readonly DataSourceView[]>(),
})

/** Creates the table of a map's data sources; `installed` is in effect until a call changes it. */
export function createDataSourceTable(options: {
  readonly installed: ServicesMap
  readonly kept: StateStore
  readonly now: () => Date
}): DataSourceTable {
  const { installed, kept, now } = options

  const map = (): ServicesMap => kept.state().map ?? installed

  /** Derived from the state, which is never changed itself: views are asked for with each check of each data source. */
  let derived = derive(kept.state())

  function membersOf(service: string): ServicesMap['services'][number]['datasources'] {
    const found = map().services.find(({ name }) => name === service)
    if (!found) throw noService()
    return found.datasources
  }

  function viewOf(source: DataSource): DataSourceView {
    const mark = derived.marks.get(keyOf(source)) ?? { ...untouched, since: derived.of.since }
    const { state, since, by, reason } = mark
    return { ...source, state, since, by, reason }
  }

  function views(service: string): readonly DataSourceView[] {
    if (derived.of !== kept.state()) derived = derive(kept.state())
    const found = derived.views.get(service) ?? membersOf(service).map((it) => viewOf({ ...it, service }))
    derived.views.set(service, found)
    return found
  }

  function view({ service, name }: DataSourceKey): DataSourceView {
    const found = views(service).find((it) => it.name === name)
    if (!found) throw noDataSource(map())
    return found
  }

  const markOf = (source: DataSource, facts: Pick<StateRecord, 'state' | 'by' | 'reason'>): StateRecord => {
    const { service, name, host, port } = source
    return { service, name, host, port, ...facts, since: now().toISOString() }
  }

  function replaceMapWith(next: ServicesMap | null, by: string): void {
    const wanted = next ?? installed
    const before = new Set(sourcesOf(map()).map(addressOf))
    const added = sourcesOf(wanted).filter((it) => !before.has(addressOf(it)))
    const marks = added.map((it) => markOf(it, { state: 'ONLINE', by, reason: null }))
    kept.replace(withRecords(dropAbsent({ ...kept.state(), map: next }, wanted), marks))
  }

  const policy = (service: string): Policy => {
    membersOf(service)
    return policyOf(kept.state(), service)
  }

  return {
    installed,
    map,
    policy,
    view,
    views,
    setState: (keys, { state, by, reason = null }) => {
      const changing = keys.map(view).filter((it) => it.state !== state)
      if (changing.length === 0) return []
      const marks = changing.map((it) => markOf(it, { state, by, reason }))
      kept.replace(withRecords(kept.state(), marks))
      return changing
    },
    writer: (service) => {
      const known = kept.state().writers.find((it) => it.service === service)
      if (known) return known.name
      const [first, second] = views(service).filter(({ role }) => role === 'primary')
      return first && !second ? first.name : null
    },
    setWriter: (service, name, fenced) => {
      const source = view({ service, name })
      const mapped = mappedPrimary(map(), service)
      const { host, port } = source
      const record = mapped === `${name} ${serverOf(source)}` ? null : { service, name, host, port, mapped }
      const marks = fenced
        ? [
            markOf(view({ service, name: fenced.name }), {
              state: 'FAILED',
              by: 'manager',
              reason: fenced.reason,
            }),
          ]
        : []
      kept.replace(withRecords(withWriter(kept.state(), service, record), marks))
    },
    holdRecord: (service) => kept.state().holds.find((it) => it.service === service),
    setHold: (service, hold) => kept.replace(withHold(kept.state(), service, hold)),
    setPolicy: (service, wanted) => {
      if (policy(service) === wanted) return false
      kept.replace(withPolicy(kept.state(), service, wanted))
      return true
    },
    editMap: (by, edit) => {
      const { map: next, changed } = edit(map())
      // What is the installed map again follows the next installation.
      if (changed) replaceMapWith(replaceMap(installed, next).changed ? next : null, by)
      return changed
    },
  }
}
