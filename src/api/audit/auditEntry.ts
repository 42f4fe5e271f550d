import type { ProblemCode } from '../../contracts/problems.ts'
import type { Route } from '../../contracts/route.ts'
import type { Caller, Listener } from '../caller.ts'

/** Facts that a call adds to its line in the audit log. Small values; a secret is never among them. */
export type AuditFacts = {
  /** Members of the request; parameters of the path are added by themselves. */
  readonly parameters?: Readonly<Record<string, unknown>>
  /** State of the object before and after the call; null where there was or is nothing. */
  readonly before?: unknown
  readonly after?: unknown
  /** For calls whose payload has no member `changed`. */
  readonly changed?: boolean
}

/** One state-changing call and how it ended. */
export type AuditRecord = Omit<AuditFacts, 'changed'> & {
  readonly requestId: string
  readonly door: Listener
  readonly peer: string | undefined
  readonly caller: Caller | null
  /** The route's name. */
  readonly call: string
  readonly status: number
  /** Code of the problem in its response. */
  readonly code: string | undefined
  /** Null where the call failed in a way that leaves it open. */
  readonly changed: boolean | null
}

const longestText = 1000
const deepest = 8

const looksSecret = (name: string): boolean => /pass|secret|token|credential|private|\bkey\b/i.test(name)

/**
 * Masks members whose names speak of a secret, cuts long texts, and leaves out what is nested too deep: a second line
 * of defense, behind calls that do not hand secrets over.
 */
function masked(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    return value.length > longestText ? `${value.slice(0, longestText)}… (${value.length} characters)` : value
  }
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value
  if (depth >= deepest) return '[nested too deep]'
  if (Array.isArray(value)) return value.map((it) => masked(it, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, it]) => [
      name,
      looksSecret(name) ? '[redacted]' : masked(it, depth + 1),
    ]),
  )
}

/** Returns the line of an entry. Members that have no value are left out; `before` and `after` may be null. */
export function auditLine(facts: {
  readonly time: Date
  /** Cluster, host and component that write. */
  readonly place: Readonly<Record<string, string>>
  readonly entry: AuditRecord
  /** Refused calls before this one that have no line (see `createAudit`). */
  readonly leftOut: number
}): string {
  const { time, place, entry, leftOut } = facts
  const { requestId, door, peer, caller, call, status, code, changed } = entry
  const line = {
    time: time.toISOString(),
    requestId,
    ...place,
    door,
    peer,
    caller: caller?.kind ?? 'unknown',
    user: caller?.kind === 'user' ? caller.user : undefined,
    call,
    parameters: masked(entry.parameters ?? {}),
    status,
    code,
    changed,
    before: masked(entry.before),
    after: masked(entry.after),
    leftOut: leftOut > 0 ? leftOut : undefined,
  }
  return `${JSON.stringify(line)}\n`
}

/** Facts collected so far about a state-changing call, for its line in the audit log. */
export type AuditEntry = {
  readonly route: Route
  facts: AuditFacts
  /** True once the call has started: before that nothing can have changed. */
  started: boolean
  /** Code of the problem in its response. */
  code?: ProblemCode
  payload?: unknown
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Returns the member `changed` of a payload; for a map or list, true if any entry changed. */
function changedOf(payload: unknown): boolean | null {
  if (!isObject(payload)) return null
  const own: unknown = Reflect.get(payload, 'changed')
  if (typeof own === 'boolean') return own
  const entries = Object.values(payload).map((it) => (isObject(it) ? Reflect.get(it, 'changed') : undefined))
  const flags = entries.filter((it) => typeof it === 'boolean')
  return flags.length > 0 ? flags.includes(true) : null
}

/** Returns whether a call with this status changed anything; null if its failure leaves that open. */
export function hasChanged({ started, facts, payload }: AuditEntry, status: number): boolean | null {
  if (!started) return false
  if (facts.changed !== undefined) return facts.changed
  if (status < 400) return changedOf(payload)
  return status < 500 ? false : null
}
