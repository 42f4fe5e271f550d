import type { ProblemCode } from '../../contracts/problems.ts'
import type { Route } from '../../contracts/route.ts'
import type { AuditFacts } from './auditLine.ts'

/** What is known so far of a state-changing call, for its line in the audit log. */
export type Trail = {
  readonly route: Route
  facts: AuditFacts
  /** Whether the call was begun: before that nothing can have changed. */
  begun: boolean
  /** Code of the problem that it is answered with. */
  code?: ProblemCode
  payload?: unknown
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The member `changed` of a payload; of a map or list, whether any of its entries changed. */
function changedOf(payload: unknown): boolean | null {
  if (!isObject(payload)) return null
  const own: unknown = Reflect.get(payload, 'changed')
  if (typeof own === 'boolean') return own
  const entries = Object.values(payload).map((it) => (isObject(it) ? Reflect.get(it, 'changed') : undefined))
  const told = entries.filter((it) => typeof it === 'boolean')
  return told.length > 0 ? told.includes(true) : null
}

/** Whether a call that was answered with this status changed anything; null where its failure leaves it open. */
export function hasChanged({ begun, facts, payload }: Trail, status: number): boolean | null {
  if (!begun) return false
  if (facts.changed !== undefined) return facts.changed
  if (status < 400) return changedOf(payload)
  return status < 500 ? false : null
}
