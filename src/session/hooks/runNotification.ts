import { counted, shortListOf } from '../../base/words.ts'
import { exitCodes } from '../../cli/exitCodes.ts'
import type { RunOwner } from '../../deployment/lock/runOwner.ts'
import type { RunRecord } from '../../deployment/runs/runRecord.ts'
import type { Notification, NotifiedHost } from '../notify.ts'
import { outcomeOfRun } from './runHooks.ts'

/** Results of hosts that a person should look at, the worst first. */
const notable: readonly string[] = ['failed', 'unreachable', 'stopped', 'not-started']

/** Returns the message for webhooks about the end of a run; without a record it ended by an error of its own. */
export function runNotification(
  { id, operation, cluster, user, machine }: RunOwner,
  end: {
    readonly exit: number
    readonly record: RunRecord | undefined
    /** RFC 3339. */
    readonly started: string
    /** Hosts of the run. */
    readonly targets: readonly string[]
  },
): Notification {
  const { exit, record, started, targets } = end
  const all = record?.hosts ?? []
  const hosts = notable.flatMap((wanted) =>
    all
      .filter(({ result }) => result === wanted)
      .map(({ host, result, failure }): NotifiedHost => {
        const [message] = failure?.message.split('\n') ?? []
        return { host, result, ...(message === undefined ? {} : { message }) }
      }),
  )
  const outcome = outcomeOfRun(exit)
  const failed = all.filter(({ result }) => result === 'failed' || result === 'unreachable')
  const count = all.length === 0 ? targets.length : all.length
  const where =
    failed.length === 0
      ? ` on ${counted(count, 'host')}`
      : ` on ${failed.length} of ${counted(count, 'host')}: ${shortListOf(failed.map(({ host }) => host))}`
  const words = { ok: 'succeeded', stopped: 'was stopped', failed: 'failed' }
  const word = exit === exitCodes.incomplete ? 'is incomplete' : words[outcome]
  return {
    event: outcome === 'ok' ? 'run-ended' : 'run-failed',
    title: `${cluster}: ${operation} ${word}${where}`,
    text: [
      `Run ${id} by ${user} on ${machine}.`,
      ...hosts.map(({ host, result, message }) => `${host}: ${result}${message ? `: ${message}` : ''}`),
    ].join('\n'),
    operation,
    outcome,
    exit,
    hosts,
    run: id,
    started,
  }
}
