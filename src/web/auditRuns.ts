import { isObject, memberOf, parseJson } from '../base/json.ts'
import { lastLines } from '../base/printable.ts'
import type { RunEntry } from '../contracts/dashboard.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? lastLines(value) : '')

/** Names what a call was about: the values of its path's parameters, such as `alpha/db3`. */
function subjectOf(parameters: unknown): string {
  const names = ['service', 'datasource', 'user', 'from', 'to'].map((name) =>
    textOf(memberOf(parameters, name)),
  )
  return names.filter((name) => name !== '').join('/')
}

function callerOf(line: Readonly<Record<string, unknown>>): string {
  const user = textOf(line.user)
  if (user !== '') return user
  return line.caller === 'socket' ? 'root or the service user' : 'nobody known'
}

/** Name of the entry of a failover that managers made without a person, whose last step is a call of one to the others. */
const byItself = 'failover'

function isFailover({ call, parameters, changed }: Readonly<Record<string, unknown>>): boolean {
  const [operation, by, to, primary] = ['operation', 'by', 'to', 'primary'].map((it) =>
    memberOf(parameters, it),
  )
  return (
    call === 'release' && operation === 'failover' && by === 'manager' && to === primary && changed === true
  )
}

/** Reads a line of an audit log as an entry of what was done; undefined for any other text. */
function entryOf(line: string, index: number): RunEntry | undefined {
  const read = parseJson(line)
  if (!isObject(read)) return undefined
  const { time, requestId, host, call, status, code } = read
  // A manager that was asked whether it would take a change.
  if (memberOf(read.parameters, 'peers') === 'check') return undefined
  if (typeof time !== 'string' || Number.isNaN(Date.parse(time)) || typeof status !== 'number')
    return undefined
  const failed = status >= 400
  const isOfManagers = !failed && isFailover(read)
  const name = isOfManagers ? byItself : textOf(call)
  return {
    id: textOf(requestId) || String(index),
    time: new Date(time).toISOString(),
    seconds: null,
    what: [name, subjectOf(read.parameters)].filter((word) => word !== '').join(' '),
    by: isOfManagers ? 'the managers' : callerOf(read),
    at: textOf(host),
    hosts: [textOf(host)],
    result: failed ? 'failed' : 'succeeded',
    detail: failed ? `${status} ${textOf(code)}`.trim() : read.changed === false ? 'changed nothing' : null,
  }
}

/** Returns what an audit log tells, newest first. */
export const auditRuns = (lines: readonly string[]): readonly RunEntry[] =>
  lines.flatMap((line, index) => entryOf(line, index) ?? []).reverse()

/** Calls by which managers make a switch together; the switch itself has an entry, and so has a failover of their own. */
const ofSwitches: ReadonlySet<string> = new Set(['hold', 'release'])

/** Milliseconds within which the same call on several hosts is one thing that somebody did. */
const together = 5000

const sameDeed = ({ what, by, result, detail }: RunEntry): string =>
  JSON.stringify([what, by, result, detail])

/** Joins entries of all sources, the newest first; the same call on several hosts at once is one entry. */
export function joinRuns(entries: readonly RunEntry[]): readonly RunEntry[] {
  const joined: RunEntry[] = []
  const latest = new Map<string, number>()
  for (const entry of entries.toSorted((one, other) => Date.parse(other.time) - Date.parse(one.time))) {
    if (ofSwitches.has(entry.what.split(' ', 1)[0] ?? '')) continue
    const at = latest.get(sameDeed(entry))
    const known = at === undefined ? undefined : joined[at]
    if (
      at === undefined ||
      known === undefined ||
      Date.parse(known.time) - Date.parse(entry.time) > together
    ) {
      latest.set(sameDeed(entry), joined.length)
      joined.push(entry)
    } else {
      joined[at] = {
        ...known,
        time: entry.time,
        hosts: [...new Set([...known.hosts, ...entry.hosts])].sort(),
      }
    }
  }
  return joined
}
