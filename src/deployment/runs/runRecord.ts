import { parseJson } from '../../base/json.ts'
import type { HostOutcome } from '../events.ts'
import type { RunOwner } from '../lock/runOwner.ts'

/** How a host came out of a run, as the record keeps it. */
export type RecordedHost = Pick<
  HostOutcome,
  'host' | 'result' | 'applied' | 'staged' | 'failure' | 'reason' | 'proved' | 'undone' | 'left' | 'seconds'
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

/**
 * A run that began to work on hosts and whose end is not written down: it was killed, or is still at work. Its
 * line is written first; the record of the whole run takes its place.
 */
export type UnendedRun = Omit<RunRecord, 'seconds' | 'hosts' | 'exit'>

export type KnownRun = RunRecord | UnendedRun

export const hasEnded = (run: KnownRun): run is RunRecord => 'exit' in run

/** Whether a run changed a host; one that was refused did not. */
export const changedHosts = ({ hosts }: RunRecord): boolean => hosts.some(({ applied }) => applied.length > 0)

/** The hosts on which a run proved what it was for; none where there is no record of it. */
export const provedHosts = (run: RunRecord | undefined): readonly string[] =>
  (run?.hosts ?? []).flatMap(({ host, proved }) => (proved === undefined ? [] : [host]))

/** A record as one line. */
export const runLine = (record: KnownRun): string => `${JSON.stringify(record)}\n`

/** The runs of a file, oldest first. A line that is no record, such as one cut by a full disk, is passed over. */
export function parseRuns(text: string): readonly KnownRun[] {
  const runs = new Map<string, KnownRun>()
  for (const line of text.split('\n')) {
    const run = readLine(line)
    if (run !== undefined) runs.set(run.id, run)
  }
  return [...runs.values()]
}

function readLine(line: string): KnownRun | undefined {
  const value = parseJson(line)
  return isBegun(value) && (!('exit' in value) || isEnd(value)) ? value : undefined
}

/** Only we write the file; this keeps out lines that are damaged or of another form. */
function isBegun(value: unknown): value is UnendedRun {
  if (typeof value !== 'object' || value === null) return false
  const found: Readonly<Record<string, unknown>> = { ...value }
  const texts = ['id', 'operation', 'cluster', 'user', 'machine', 'version', 'started']
  return (
    texts.every((name) => typeof found[name] === 'string') &&
    typeof found.pid === 'number' &&
    Array.isArray(found.targets)
  )
}

function isEnd(value: object): boolean {
  const found: Readonly<Record<string, unknown>> = { ...value }
  return (
    [found.seconds, found.exit].every((number) => typeof number === 'number') &&
    Array.isArray(found.hosts) &&
    found.hosts.every((host) => typeof host?.host === 'string' && Array.isArray(host.applied))
  )
}
