import type { Caller } from '../../api/caller.ts'
import { type Call, type ServedRoute, serve } from '../../api/serve.ts'
import { managerRoutes as routes } from '../../contracts/managerRoutes.ts'
import type { ServicesMap } from '../../contracts/servicesMap.ts'
import { addDataSource, addService, type EditedMap, replaceMap } from '../editMap.ts'
import type { Manager } from './createManager.ts'
import { mapText, serviceEntries } from './statusPayloads.ts'

/** Returns the author of a change for payloads and the state file: the user, or `socket` for a caller on the host. */
export const authorOf = (caller: Caller): string => (caller.kind === 'user' ? caller.user : 'socket')

/** The calls that read and change the services map; `onceInEffect` settles when the connector of the host acts on a change. */
export function mapCalls(
  manager: Manager,
  onceInEffect: <Answer>(answer: Answer) => Promise<Answer>,
): readonly ServedRoute[] {
  /** Changes the map and records that in the audit log. */
  function change({ audit }: Pick<Call, 'audit'>, work: () => boolean): boolean {
    audit({ before: mapText(manager.map()) })
    const changed = work()
    audit({ after: mapText(manager.map()), changed })
    return changed
  }
  const edit = (call: Pick<Call, 'audit' | 'caller'>, how: (map: ServicesMap) => EditedMap): boolean =>
    change(call, () => manager.editMap(authorOf(call.caller), how))

  return [
    serve(routes.managerServicesMap, () => ({ services: serviceEntries(manager) })),
    serve(routes.managerChangeServicesMap, (call) => {
      const wanted = call.body.payload
      const changed = edit(call, (map) => replaceMap(map, wanted))
      return onceInEffect({ services: serviceEntries(manager), changed })
    }),
    serve(routes.managerAddDataService, (call) => {
      const { payload } = call.body
      call.audit({ parameters: payload })
      const changed = edit(call, (map) => addService(map, payload))
      const entry = serviceEntries(manager).find(({ name }) => name === payload.name)
      return onceInEffect({ name: payload.name, datasources: entry?.datasources ?? [], changed })
    }),
    serve(routes.managerAddDataSource, (call) => {
      const { payload } = call.body
      call.audit({ parameters: payload })
      const changed = edit(call, (map) => addDataSource(map, payload))
      return onceInEffect({ ...payload, state: manager.shownState(manager.view(payload)), changed })
    }),
    serve(routes.managerReset, (call) => {
      const changed = change(call, () => manager.resetMap(authorOf(call.caller)))
      return onceInEffect({ services: serviceEntries(manager), changed })
    }),
  ]
}
