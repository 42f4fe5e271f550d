import type { AuditFacts } from '../../api/audit/auditEntry.ts'
import { ProblemError } from '../../api/problemError.ts'
import { type DataSourceOperation, stateAfter, wrongState } from '../../contracts/dataSourceOperations.ts'
import { withDatabaseProblems } from '../databases/databaseProblem.ts'
import type { Manager } from './createManager.ts'
import type { DataSourceKey } from './dataSources.ts'
import type { DataSourceView } from './dataSourceTable.ts'

/** An operation that a caller asked for. */
export type Order = {
  readonly manager: Manager
  readonly operation: DataSourceOperation
  readonly by: string
  /** Receives the state before and after, and whether anything changed. */
  readonly audit: (facts: AuditFacts) => void
}

/** Throws a problem where a data source does not pass a check that is made now. Without a monitor none is made. */
async function requireHealthy(manager: Manager, view: DataSourceView): Promise<void> {
  const checked = await manager.check(view)
  if (!checked) return
  const { observation, finding } = checked
  if (observation.kind !== 'answered') {
    const { error } = observation
    return withDatabaseProblems(() => Promise.reject(error))
  }
  const { result, reason } = finding
  if (result === 'passed') return
  const detail = `The health check of ${view.name} failed, so it stays ${view.state}. ${reason ?? ''}`
  throw new ProblemError({ code: 'wrong-state', detail: detail.trimEnd() })
}

/** Returns the state that the operation leads to from the present one; throws a `wrong-state` problem. */
function targetState({ manager, operation }: Order, key: DataSourceKey) {
  const view = manager.view(key)
  const aim = stateAfter(operation, view.state)
  if (aim === undefined) {
    throw new ProblemError({ code: 'wrong-state', detail: wrongState({ operation, ...view }) })
  }
  return { view, aim }
}

/**
 * Runs an operation on a data source; resolves to true if that changed anything. Whatever else changes the state while
 * it is checked counts as if it had come before.
 */
export async function operate(order: Order, key: DataSourceKey): Promise<boolean> {
  const { manager, by, audit } = order
  const { view, aim } = targetState(order, key)
  audit({ before: view.state })
  if (aim === 'ONLINE' && view.state !== 'ONLINE') await requireHealthy(manager, view)
  // Nothing comes between this look and the change.
  const now = targetState(order, key)
  audit({ before: now.view.state })
  const changed = manager.setState([key], { state: now.aim, by }).length > 0
  audit({ after: now.aim, changed })
  return changed
}

const statesOf = (views: readonly DataSourceView[]): object =>
  Object.fromEntries(views.map(({ name, state }) => [name, state]))

/** Takes every data source of a service offline that is online; the others stay as they are. */
export function takeServiceOffline(order: Order, service: string): boolean {
  const { manager, by, audit } = order
  const views = manager.views(service)
  const keys = views.filter(({ state }) => state === 'ONLINE')
  const changed = manager.setState(keys, { state: 'OFFLINE', by }).length > 0
  audit({ before: statesOf(views), after: statesOf(manager.views(service)), changed })
  return changed
}

/**
 * Brings every data source of a service online that is offline; failed and shunned ones stay as they are. Each that
 * passes its check goes online; throws a `wrong-state` problem where one does not.
 */
export async function bringServiceOnline(order: Order, service: string): Promise<boolean> {
  const { manager, audit } = order
  const views = manager.views(service)
  audit({ before: statesOf(views) })
  const offline = views.filter(({ state }) => state === 'OFFLINE')
  const nobody = { ...order, audit: () => undefined }
  const ends = await Promise.allSettled(offline.map((it) => operate(nobody, it)))
  const brought = offline.filter((_, index) => {
    const end = ends[index]
    return end?.status === 'fulfilled' && end.value
  })
  audit({ after: statesOf(manager.views(service)), changed: brought.length > 0 })
  const errors = offline.flatMap(({ name }, index) => {
    const end = ends[index]
    if (end?.status !== 'rejected') return []
    if (!(end.reason instanceof ProblemError) || end.reason.code === 'not-ready') throw end.reason
    return [{ path: `/${name}`, message: end.reason.message }]
  })
  if (errors.length === 0) return brought.length > 0
  const names = brought.map(({ name }) => name).join(', ') || 'none'
  const told = errors.map(({ message }) => message).join(' ')
  throw new ProblemError({
    code: 'wrong-state',
    detail: `Not every data source of ${service} could be set online; set online now: ${names}. ${told}`,
    errors,
  })
}
