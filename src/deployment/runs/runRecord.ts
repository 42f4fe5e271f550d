import { parseJson } from '../../base/json.ts'
import type { HostOutcome } from '../events.ts'
import type { RunOwner } from '../lock/runOwner.ts'

/** Result of a host as the record keeps it. */
export type RecordedHost = Pick<
  HostOutcome,
  'host' | 'result' | 'applied' | 'staged' | 'failure' | 'reason' | 'proved' | 'undone' | 'left' | 'seconds'
>

/** Record of one run on the operator's side. No secrets. */
export type RunRecord = Pick<RunOwner, 'id' | 'operation' | 'cluster' | 'user' | 'machine' | 'pid'> & {
  /** Version of muster. */
  readonly version: string
  /** RFC 3339. */
  readonly started: string
  readonly seconds: number
  /** Hosts of the run. */
  readonly targets: readonly string[]
  readonly hosts: readonly RecordedHost[]
  readonly exit: number
}

/**
 * Run that started to change hosts and has no recorded end: it was killed, or is still active. This line is written
 * first; the record of the completed run replaces it.
 */
export type UnfinishedRun = Omit<RunRecord, 'seconds' | 'hosts' | 'exit'>

export type KnownRun = RunRecord | UnfinishedRun

export const hasEnded = (run: KnownRun): run is RunRecord => 'exit' in run

/** Returns true if a run changed a host; a refused run did not. */
export const hasChangedHosts = ({ hosts }: RunRecord): boolean =>
  hosts.some(({ applied }) => applied.length > 0)

/** Returns the verified hosts of a run; none without a record. */
export const verifiedHosts = (run: RunRecord | undefined): readonly string[] =>
  (run?.hosts ?? []).flatMap(({ host, proved }) => (proved === undefined ? [] : [host]))

export const runLine = (record: KnownRun): string => `${JSON.stringify(record)}\n`

/** Returns the runs of a file, oldest first. Skips lines that are no record, such as one cut by a full disk. */
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
  return isUnfinishedRun(value) && (!('exit' in value) || isEnd(value)) ? value : undefined
}

/** Rejects lines that are damaged or of another form; only muster writes the file. */
function isUnfinishedRun(value: unknown): value is UnfinishedRun {
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
