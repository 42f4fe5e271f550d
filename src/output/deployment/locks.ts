import { jsonText } from '../../base/json.ts'
import { printableLine } from '../../base/printable.ts'
import { shortListOf } from '../../base/words.ts'
import { describeOwner } from '../../deployment/lock/heldLock.ts'
import type { HostLock } from '../../deployment/lock/hostLocks.ts'
import type { RunLock } from '../../deployment/state/lockState.ts'
import { paint } from '../paint.ts'
import { withoutHostName } from './failureText.ts'
import { hostLines, maxHostLines } from './hostLines.ts'

/** Locks of the hosts, and of runs in the state directory. */
export type ShownLocks = { readonly hosts: readonly HostLock[]; readonly state: readonly RunLock[] }

/**
 * Writes one line per host: its lock is free, or its holder and time. Many free ones share one line. Then one line per
 * run that goes on in the state directory.
 */
export function locksText(
  { hosts: locks, state }: ShownLocks,
  { colour, width }: { readonly colour: boolean; readonly width?: number },
): string {
  const { green, yellow, red } = paint(colour)
  const wordsOf = (one: HostLock): string => {
    if (one.state === 'free') return green('free')
    if (one.state !== 'held') return `${red(one.state)}: ${withoutHostName(one.host, one.failure.message)}`
    const { lock } = one
    return `${yellow('held')} by ${describeOwner(lock)}, since ${lock.since}, last heartbeat ${lock.idle} s ago`
  }
  const free = locks.filter(({ state }) => state === 'free').map(({ host }) => host)
  const together = locks.length > maxHostLines && free.length > 1
  const alone = locks.filter(({ state }) => !together || state !== 'free')
  const said = [
    ...(together ? [{ hosts: free, text: green('free') }] : []),
    ...alone.map((one) => ({ hosts: [one.host], text: wordsOf(one) })),
  ]
  const runs = state.map((run) => {
    const of = run.hosts === 'all' ? 'all hosts' : shortListOf(run.hosts, 8)
    return `state directory  ${yellow('held')} for ${of} by \`muster ${run.operation}\`, process ${run.pid} on ${printableLine(run.machine)}, since ${printableLine(run.since)}\n`
  })
  const text = hostLines(said, { all: locks.length, colour, ...(width !== undefined && { width }) })
  return `${text}${runs.join('')}`
}

export const locksJson = (cluster: string, { hosts, state }: ShownLocks): string =>
  jsonText({ cluster, hosts, state })
