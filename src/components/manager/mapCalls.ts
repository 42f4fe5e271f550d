import { ProblemError } from '../../api/problemError.ts'
import { type Call, isDry, type ServedRoute, serve } from '../../api/serve.ts'
import { withDot } from '../../base/words.ts'
import { managerRoutes as routes } from '../../contracts/managerRoutes.ts'
import { callOf } from '../../contracts/routeCall.ts'
import type { ServicesMap } from '../../contracts/servicesMap.ts'
import { addDataSource, addService, type EditedMap, replaceMap } from '../editMap.ts'
import type { Manager } from './createManager.ts'
import { type DataSource, sourcesOf } from './dataSources.ts'
import { authorOf, type Reach, type SharedChanges } from './sharedChanges.ts'
import { mapText, serviceEntries } from './statusPayloads.ts'

/** Throws while a switch is under way: it names the primary in the map when it ends. */
function refuseDuringSwitch(manager: Manager): void {
  for (const { name } of manager.map().services) {
    const hold = manager.holdOf(name)
    if (!hold?.isInForce) continue
    const detail = `A switch of ${name} from ${hold.from} to ${hold.to} is under way. Nothing was changed.`
    throw new ProblemError({ code: 'operation-running', detail })
  }
}

/** Returns why a data source that the map names as the primary was not seen to take writes; undefined where it was. */
function writerRemark(manager: Manager, { service, name }: DataSource): string | undefined {
  const named = `The map names ${name} as the primary of ${service}, but`
  const { datasource, reason } = manager.writer(service)
  if (datasource === null) return `${named} nobody can write: ${withDot(reason ?? 'nobody knows why')}`
  if (datasource !== name) {
    return `${named} clients write to ${datasource}. Correct the map with tapi map, or make ${name} the primary with tapi switch.`
  }
  const { finding } = manager.assessment({ service, name })
  if (finding === null || finding.result === 'passed') return undefined
  return `${named} it was not seen to take writes. ${finding.reason ?? ''}`.trimEnd()
}

/** Checks the services whose primaries a call named, and returns why one was not seen to take writes. */
async function writerRemarks(
  manager: Manager,
  isNamed: (source: DataSource) => boolean,
): Promise<readonly string[]> {
  const namedNow = (): readonly DataSource[] =>
    sourcesOf(manager.map()).filter((it) => it.role === 'primary' && isNamed(it))
  const services = new Set(namedNow().map(({ service }) => service))
  const sources = sourcesOf(manager.map()).filter(({ service }) => services.has(service))
  await Promise.allSettled(sources.map((it) => manager.check(it)))
  // The map may have changed meanwhile.
  return namedNow().flatMap((it) => writerRemark(manager, it) ?? [])
}

/** Returns the answer of a change, once the connector of the host acts on it, with a remark where it is not known to. */
export type OnceSeen = <Answer extends Pick<Reach, 'remarks'>>(
  call: Pick<Call, 'query'>,
  answer: Answer,
) => Promise<Answer>

/** The calls that read and change the services map. */
export function mapCalls(
  manager: Manager,
  more: {
    readonly onceSeen: OnceSeen
    readonly shared: SharedChanges
  },
): readonly ServedRoute[] {
  const { onceSeen, shared } = more

  /**
   * Changes the map at all managers, which then have the same one, and records that in the audit log. `isNamed` is true
   * for the data sources that the call itself contains.
   */
  async function edit(
    call: Call<unknown>,
    how: (map: ServicesMap) => EditedMap,
    isNamed: (source: DataSource) => boolean = () => true,
  ): Promise<Reach> {
    const { audit, caller } = call
    const { map: next, changed: wouldChange } = how(manager.map())
    const names = new Set(sourcesOf(next).map(({ name }) => name))
    const route = routes.managerChangeServicesMap
    const reach = await shared.make(call, {
      order: (query) => ({ route, call: callOf(route, {}, { query, payload: next }) }),
      without: new Set(sourcesOf(manager.map()).flatMap(({ name }) => (names.has(name) ? [] : [name]))),
      check: () => {
        refuseDuringSwitch(manager)
        audit({ before: mapText(manager.map()) })
        return wouldChange
      },
      apply: () => {
        const changed = manager.editMap(authorOf(caller), (map) => replaceMap(map, next))
        audit({ after: mapText(manager.map()), changed })
        return changed
      },
    })
    // The manager that leads the change says it, for all.
    if (call.query.change !== undefined || isDry(call)) return reach
    const remarks = [...(reach.remarks ?? []), ...(await writerRemarks(manager, isNamed))]
    return { ...reach, ...(remarks.length > 0 && { remarks }) }
  }

  return [
    serve(routes.managerServicesMap, () => ({ services: serviceEntries(manager) })),
    serve(routes.managerChangeServicesMap, async (call) => {
      const wanted = call.body.payload
      const reach = await edit(call, (map) => replaceMap(map, wanted))
      return onceSeen(call, { services: serviceEntries(manager), ...reach })
    }),
    serve(routes.managerAddDataService, async (call) => {
      const { payload } = call.body
      call.audit({ parameters: payload })
      const isNamed = ({ service }: DataSource): boolean => service === payload.name
      const reach = await edit(call, (map) => addService(map, payload), isNamed)
      const entry = serviceEntries(manager).find(({ name }) => name === payload.name)
      return onceSeen(call, { name: payload.name, datasources: entry?.datasources ?? [], ...reach })
    }),
    serve(routes.managerAddDataSource, async (call) => {
      const { payload } = call.body
      call.audit({ parameters: payload })
      const isNamed = ({ service, name }: DataSource): boolean =>
        service === payload.service && name === payload.name
      const reach = await edit(call, (map) => addDataSource(map, payload), isNamed)
      const service = serviceEntries(manager).find(({ name }) => name === payload.service)
      const entry = service?.datasources.find(({ name }) => name === payload.name)
      return onceSeen(call, { ...payload, state: entry?.state ?? 'UNKNOWN', ...reach })
    }),
    serve(routes.managerReset, async (call) => {
      const reach = await edit(call, (map) => replaceMap(map, manager.installed))
      return onceSeen(call, { services: serviceEntries(manager), ...reach })
    }),
  ]
}
