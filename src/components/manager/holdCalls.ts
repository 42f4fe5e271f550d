import { ProblemError } from '../../api/problemError.ts'
import { type Call, type ServedRoute, serve } from '../../api/serve.ts'
import { printableLine } from '../../base/printable.ts'
import { createRateLimit } from '../../base/rateLimit.ts'
import { hostRoutes as routes } from '../../contracts/hostRoutes.ts'
import type { Manager } from './createManager.ts'

/** Calls of other hosts within a minute; a switch makes three. */
const mostCalls = 60
const minute = 60_000

/**
 * The calls by which the manager that makes a switch lets clients of other hosts wait; `onceInEffect` settles when the
 * connector of the host acts on a change.
 */
export function holdCalls(
  manager: Manager,
  {
    onceInEffect,
    leaders,
  }: {
    readonly onceInEffect: <Answer>(answer: Answer) => Promise<Answer>
    /** Names of the hosts that may lead a switch. */
    readonly leaders: ReadonlySet<string>
  },
): readonly ServedRoute[] {
  const exceedsMinute = createRateLimit(mostCalls, minute)
  /** Each call is a line of the audit log and a write of the state, which no other host may ask for without end. */
  function refuseUntrusted({ caller }: Pick<Call, 'caller'>): void {
    if (caller.kind !== 'host') return
    if (!leaders.has(caller.name)) {
      const detail = `Hosts that may lead a switch have a manager and a database of the service; ${caller.name} is none.`
      throw new ProblemError({ code: 'login-required', detail })
    }
    if (!exceedsMinute(performance.now())) return
    const detail = `Other hosts have held or released clients here ${mostCalls} times within a minute. Try again later.`
    throw new ProblemError({ code: 'operation-running', detail })
  }
  return [
    serve(routes.hold, ({ params: { service = '' }, body: { payload }, caller, audit }) => {
      refuseUntrusted({ caller })
      audit({ parameters: payload, before: manager.holdOf(service)?.step ?? null })
      const changed = manager.hold({ ...payload, by: printableLine(payload.by), service, isOwn: false })
      audit({ after: manager.holdOf(service)?.step ?? null, changed })
      return onceInEffect({ value: true, changed })
    }),
    serve(routes.release, async ({ params: { service = '' }, body: { payload }, caller, audit }) => {
      refuseUntrusted({ caller })
      const hold = manager.holdOf(service)
      // One line tells what was done, and by whom, where those before it are in an older file.
      const what = hold?.id === payload.id && {
        operation: hold.operation,
        from: hold.from,
        to: hold.to,
        by: hold.by,
      }
      audit({ parameters: { ...payload, ...what }, before: hold?.step ?? null })
      const changed = await manager.release({ ...payload, service, isOwn: false })
      audit({ after: manager.writer(service).datasource, changed })
      return onceInEffect({ value: true, changed })
    }),
  ]
}
