import { type ServedRoute, serve } from '../../api/serve.ts'
import { managerRoutes as routes } from '../../contracts/managerRoutes.ts'
import type { Manager } from './createManager.ts'
import { authorOf } from './sharedChanges.ts'

/**
 * The calls by which whoever makes a switch lets clients wait; `onceInEffect` settles when the connector of the host acts on a
 * change.
 */
export function holdCalls(
  manager: Manager,
  onceInEffect: <Answer>(answer: Answer) => Promise<Answer>,
): readonly ServedRoute[] {
  return [
    serve(routes.managerHold, ({ params: { service = '' }, body: { payload }, caller, audit }) => {
      audit({ parameters: payload, before: manager.holdOf(service)?.step ?? null })
      const changed = manager.hold({ ...payload, service, by: authorOf(caller), isOwn: false })
      audit({ after: manager.holdOf(service)?.step ?? null, changed })
      return onceInEffect({ value: true, changed })
    }),
    serve(routes.managerRelease, async ({ params: { service = '' }, body: { payload }, caller, audit }) => {
      audit({ parameters: payload, before: manager.holdOf(service)?.step ?? null })
      const changed = await manager.release({ ...payload, service, by: authorOf(caller) })
      audit({ after: manager.writer(service).datasource, changed })
      return onceInEffect({ value: true, changed })
    }),
  ]
}
