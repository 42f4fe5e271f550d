import { lastLines } from '../../base/printable.ts'
import { isRunning } from '../../base/processIdentity.ts'
import type { HostDetails, RunEntry } from '../../contracts/dashboard.ts'
import { type LogLine, logObject } from '../../deployment/logs/parseLogs.ts'
import { hasEnded, type KnownRun } from '../../deployment/runs/runRecord.ts'

/** Entries of one page at most. */
const most = 200

/** Turns recorded runs into entries, the newest first; `host` leaves out runs that were not for it. */
export function runEntries(runs: readonly KnownRun[], host?: string): readonly RunEntry[] {
  const wanted = host === undefined ? runs : runs.filter(({ targets }) => targets.includes(host))
  return wanted.slice(-most).reverse().map(entryOf)
}

function entryOf(run: KnownRun): RunEntry {
  const { id, started, operation, user, machine, targets } = run
  const common = { id, time: started, what: operation, by: user, at: machine, hosts: targets }
  if (!hasEnded(run)) {
    const result = isRunning({ pid: run.pid, machine }) ? 'running' : 'interrupted'
    return { ...common, seconds: null, result, detail: null }
  }
  const failed = run.hosts.flatMap(({ host, failure }) =>
    failure === undefined ? [] : [`${host}: ${failure.message}`],
  )
  return {
    ...common,
    seconds: run.seconds,
    result: run.exit === 0 ? 'succeeded' : 'failed',
    detail: failed.length === 0 ? null : failed.join('; '),
  }
}

/** Turns log lines into entries, oldest first; each is one printable line. */
export const logEntries = (lines: readonly LogLine[]): NonNullable<HostDetails['log']> =>
  lines.map(({ time, component, text }) => {
    const { level, msg, ...logged } = logObject(text) ?? {}
    const shown = typeof msg === 'string' ? [msg, ...factsOf(logged)].join(' ') : text
    return {
      time: time === undefined ? '' : new Date(time).toISOString(),
      component,
      level: typeof level === 'string' ? lastLines(level) : '',
      text: lastLines(shown),
    }
  })

/** Members that stand in columns of their own, or are the same in every line. */
const known: readonly string[] = ['time', 'cluster', 'host', 'component']

const factsOf = (logged: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(logged)
    .filter(([name]) => !known.includes(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
