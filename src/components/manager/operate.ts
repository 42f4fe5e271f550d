import type { AuditFacts } from '../../api/audit/auditEntry.ts'
import { ProblemError } from '../../api/problemError.ts'
import { type DataSourceOperation, stateAfter } from '../../contracts/dataSourceOperations.ts'
import type { RecordedState } from '../../contracts/servicesMap.ts'
import { withDatabaseProblems } from '../databases/databaseProblem.ts'
import { isDisconnected } from './assessService.ts'
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

/**
 * Throws a problem where a data source does not pass a check that is made now, or cannot reach the writer that it
 * follows. Without a monitor none is made.
 */
async function requireHealthy(manager: Manager, view: DataSourceView): Promise<void> {
  const checked = await manager.check(view)
  if (!checked) return
  const { observation, finding } = checked
  if (observation.kind !== 'answered') {
    const { error } = observation
    return withDatabaseProblems(() => Promise.reject(error))
  }
  const { result, reason } = finding
  const why = (what: string): ProblemError => {
    const detail = `${what}, so it stays ${view.state}. ${reason ?? ''}`
    return new ProblemError({ code: 'wrong-state', detail: detail.trimEnd() })
  }
  if (result !== 'passed') throw why(`The health check of ${view.name} failed`)
  const { datasource: writer } = manager.writer(view.service)
  // Without a writer there is nobody to receive from.
  if (writer !== null && isDisconnected(observation.reading)) {
    throw why(`${view.name} does not receive what ${writer} writes`)
  }
}

const fixes: Readonly<Record<RecordedState, string>> = {
  ONLINE: 'It already serves clients.',
  OFFLINE: 'Use online to bring it back.',
  FAILED: 'Repair it, then use recover to make it OFFLINE and online to bring it back.',
  SHUNNED: 'Use welcome to bring it back, or recover to make it OFFLINE.',
}

/** Returns why an operation is refused, and the fix. */
function describeWrongState(facts: {
  readonly operation: DataSourceOperation
  readonly name: string
  readonly state: RecordedState
  readonly reason: string | null
}): string {
  const { operation, name, state, reason } = facts
  const why = reason === null ? '' : ` Reason: ${reason}`
  return `${name} is ${state}, and ${operation} is not possible in this state. ${fixes[state]}${why}`
}

/** Returns the state that the operation leads to from the present one; throws a `wrong-state` problem. */
function targetState({ manager, operation }: Order, key: DataSourceKey) {
  const view = manager.view(key)
  const aim = stateAfter(operation, view.state)
  if (aim === undefined) {
    throw new ProblemError({ code: 'wrong-state', detail: describeWrongState({ operation, ...view }) })
  }
  return { view, aim }
}

/** Returns true if an operation would change a data source; throws the problem with which it is refused. */
export async function checkOperation(order: Order, key: DataSourceKey): Promise<boolean> {
  const { view, aim } = targetState(order, key)
  order.audit({ before: view.state })
  if (aim === 'ONLINE' && view.state !== 'ONLINE') await requireHealthy(order.manager, view)
  return aim !== view.state
}

/**
 * Runs an operation that was checked; returns true if that changed anything. Whatever else changed the state meanwhile
 * counts as if it had come before.
 */
export function applyOperation(order: Order, key: DataSourceKey): boolean {
  const { manager, by, audit } = order
  const now = targetState(order, key)
  audit({ before: now.view.state })
  const changed = manager.setState([key], { state: now.aim, by }).length > 0
  audit({ after: now.aim, changed })
  return changed
}

/** Runs an operation on a data source; resolves to true if that changed anything. */
export async function operate(order: Order, key: DataSourceKey): Promise<boolean> {
  await checkOperation(order, key)
  return applyOperation(order, key)
}

const statesOf = (views: readonly DataSourceView[]): object =>
  Object.fromEntries(views.map(({ name, state }) => [name, state]))

/** Settles the work for each: `inTurn` for one after the other, or else all at once. */
async function settleAll(
  views: readonly DataSourceView[],
  inTurn: ((view: DataSourceView) => Promise<boolean>) | undefined,
  atOnce: (view: DataSourceView) => Promise<boolean>,
): Promise<readonly PromiseSettledResult<boolean>[]> {
  if (!inTurn) return Promise.allSettled(views.map(atOnce))
  const ends: PromiseSettledResult<boolean>[] = []
  for (const view of views) ends.push(...(await Promise.allSettled([inTurn(view)])))
  return ends
}

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
 * passes its check goes online; throws a `wrong-state` problem where one does not. `bringOnline` does it for one, and
 * is then called for one after the other.
 */
export async function bringServiceOnline(
  order: Order,
  service: string,
  bringOnline?: (key: DataSourceKey) => Promise<boolean>,
): Promise<boolean> {
  const { manager, audit } = order
  const views = manager.views(service)
  audit({ before: statesOf(views) })
  const offline = views.filter(({ state }) => state === 'OFFLINE')
  const nobody = { ...order, audit: () => undefined }
  const ends = await settleAll(offline, bringOnline, (it) => operate(nobody, it))
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
