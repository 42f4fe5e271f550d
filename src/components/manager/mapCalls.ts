import { ProblemError } from '../../api/problemError.ts'
import { type Call, type ServedRoute, serve } from '../../api/serve.ts'
import { envelope } from '../../contracts/envelope.ts'
import { managerRoutes as routes } from '../../contracts/managerRoutes.ts'
import type { ServicesMap } from '../../contracts/servicesMap.ts'
import { addDataSource, addService, type EditedMap, replaceMap } from '../editMap.ts'
import type { Manager } from './createManager.ts'
import { sourcesOf } from './dataSources.ts'
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

/** The calls that read and change the services map; `onceInEffect` settles when the connector of the host acts on a change. */
export function mapCalls(
  manager: Manager,
  more: {
    readonly onceInEffect: <Answer>(answer: Answer) => Promise<Answer>
    readonly shared: SharedChanges
  },
): readonly ServedRoute[] {
  const { onceInEffect, shared } = more

  /** Changes the map at all managers, which then have the same one, and records that in the audit log. */
  function edit(call: Call<unknown>, how: (map: ServicesMap) => EditedMap): Promise<Reach> {
    const { audit, caller } = call
    const { map: next } = how(manager.map())
    const names = new Set(sourcesOf(next).map(({ name }) => name))
    const route = routes.managerChangeServicesMap
    return shared.make(call, {
      order: { route, path: route.path, body: envelope('ServicesMapPayload', next) },
      without: new Set(sourcesOf(manager.map()).flatMap(({ name }) => (names.has(name) ? [] : [name]))),
      check: () => {
        refuseDuringSwitch(manager)
        audit({ before: mapText(manager.map()) })
      },
      apply: () => {
        const changed = manager.editMap(authorOf(caller), (map) => replaceMap(map, next))
        audit({ after: mapText(manager.map()), changed })
        return changed
      },
    })
  }

  return [
    serve(routes.managerServicesMap, () => ({ services: serviceEntries(manager) })),
    serve(routes.managerChangeServicesMap, async (call) => {
      const wanted = call.body.payload
      const reach = await edit(call, (map) => replaceMap(map, wanted))
      return onceInEffect({ services: serviceEntries(manager), ...reach })
    }),
    serve(routes.managerAddDataService, async (call) => {
      const { payload } = call.body
      call.audit({ parameters: payload })
      const reach = await edit(call, (map) => addService(map, payload))
      const entry = serviceEntries(manager).find(({ name }) => name === payload.name)
      return onceInEffect({ name: payload.name, datasources: entry?.datasources ?? [], ...reach })
    }),
    serve(routes.managerAddDataSource, async (call) => {
      const { payload } = call.body
      call.audit({ parameters: payload })
      const reach = await edit(call, (map) => addDataSource(map, payload))
      return onceInEffect({ ...payload, state: manager.shownState(manager.view(payload)), ...reach })
    }),
    serve(routes.managerReset, async (call) => {
      const reach = await edit(call, (map) => replaceMap(map, manager.installed))
      return onceInEffect({ services: serviceEntries(manager), ...reach })
    }),
  ]
}
