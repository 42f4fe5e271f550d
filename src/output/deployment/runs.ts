import { jsonText } from '../../base/json.ts'
import { counted } from '../../base/words.ts'
import type { RunEntry } from '../../contracts/dashboard.ts'
import { hasEnded, type KnownRun, type RecordedHost } from '../../deployment/runs/runRecord.ts'
import { paint } from '../paint.ts'
import { type Layout, tableLines } from '../table.ts'
import { failuresText } from './failureText.ts'
import { changesText, summaryText } from './summary.ts'

const titles = ['RUN', 'COMMAND', 'BY', 'TOOK', 'EXIT', 'HOSTS']

/** Writes one row per run, the newest first; ends with a newline. */
export function runsText(runs: readonly KnownRun[], layout: Layout): string {
  const rows = [...runs]
    .reverse()
    .map((run) => [
      run.id,
      run.operation,
      `${run.user}@${run.machine}`,
      ...(hasEnded(run)
        ? [`${run.seconds.toFixed(1)} s`, String(run.exit), resultsOf(run.hosts)]
        : ['-', '-', 'has not ended']),
    ])
  return `${tableLines({ titles, rows, ...layout }).join('\n')}\n`
}

/** Writes counts such as `2 changed, 1 failed`, in the order of the first hosts. */
function resultsOf(hosts: readonly RecordedHost[]): string {
  const counts = new Map<string, number>()
  for (const { result } of hosts) counts.set(result, (counts.get(result) ?? 0) + 1)
  return [...counts].map(([result, count]) => `${count} ${result}`).join(', ')
}

/** Describes one run in full. */
export function runText(run: KnownRun, colour: boolean): string {
  const { bold } = paint(colour)
  const who = `  by ${run.user} on ${run.machine}, process ${run.pid}, muster ${run.version}\n`
  const whom = `  for ${counted(run.targets.length, 'host')}: ${run.targets.join(', ')}\n`
  const what = `${bold(run.id)}  muster ${run.operation} of ${run.cluster}`
  if (!hasEnded(run)) {
    const words =
      'It has not ended: it was killed, or is still running. Its changes are in deployment.jsonl on the hosts.\n'
    return `${what}, has not ended\n${who}  at ${run.started}\n${whom}\n${words}`
  }
  const changes = changesText(run.hosts, colour)
  const failed = run.hosts.flatMap(({ host, failure }) => (failure === undefined ? [] : [{ host, failure }]))
  const failures = failed.length === 0 ? [] : [failuresText(failed, { colour })]
  const head = `${what}, exit code ${run.exit}\n${who}  at ${run.started}, took ${run.seconds.toFixed(1)} s\n${whom}`
  return [head, ...(changes === '' ? [] : [changes]), ...failures, summaryText(run.hosts, { colour })].join(
    '\n',
  )
}

/** Writes runs as JSON, oldest first, as they were recorded, and the calls of people, newest first. */
export function runsJson(cluster: string, runs: readonly KnownRun[], calls: readonly RunEntry[]): string {
  const made = calls.map(({ id, time, what, by, hosts, result, detail }) => ({
    ...{ id, time, what, by, hosts, result },
    ...(detail === null ? {} : { detail }),
  }))
  return jsonText({ cluster, runs, calls: made })
}
