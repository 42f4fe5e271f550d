import type { HostOutcome } from '../events.ts'
import type { RunOwner } from '../lock/runOwner.ts'

/** How a host came out of a run, as the record keeps it. */
export type RecordedHost = Pick<
  HostOutcome,
  'host' | 'result' | 'applied' | 'failure' | 'reason' | 'proved' | 'undone' | 'seconds'
>

/** One run, as the operator's side keeps it: who, what, when, from where, and what came of it. No secrets. */
export type RunRecord = Pick<RunOwner, 'id' | 'operation' | 'cluster' | 'user' | 'machine' | 'pid'> & {
  /** Version of muster. */
  readonly version: string
  /** RFC 3339. */
  readonly started: string
  readonly seconds: number
  /** The hosts that the run was for. */
  readonly targets: readonly string[]
  readonly hosts: readonly RecordedHost[]
  readonly exit: number
}

/** Whether a run changed a host; one that was refused did not. */
export const changedHosts = ({ hosts }: RunRecord): boolean => hosts.some(({ applied }) => applied.length > 0)

/** A record as one line. */
export const runLine = (record: RunRecord): string => `${JSON.stringify(record)}\n`

/** The records of a file, oldest first. A line that is no record, such as one cut by a full disk, is passed over. */
export const parseRuns = (text: string): readonly RunRecord[] =>
  text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line)
      return isRecord(value) ? [value] : []
    } catch {
      return []
    }
  })

/** Only we write the file; this keeps out lines that are damaged or of another form. */
function isRecord(value: unknown): value is RunRecord {
  if (typeof value !== 'object' || value === null) return false
  const found: Readonly<Record<string, unknown>> = { ...value }
  const texts = ['id', 'operation', 'cluster', 'user', 'machine', 'version', 'started']
  return (
    texts.every((name) => typeof found[name] === 'string') &&
    [found.pid, found.seconds, found.exit].every((number) => typeof number === 'number') &&
    Array.isArray(found.targets) &&
    Array.isArray(found.hosts) &&
    found.hosts.every((host) => typeof host?.host === 'string' && Array.isArray(host.applied))
  )
}
