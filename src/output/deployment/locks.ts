import { jsonText } from '../../base/json.ts'
import { describeOwner } from '../../deployment/lock/heldLock.ts'
import type { HostLock } from '../../deployment/lock/hostLocks.ts'
import { paint } from '../paint.ts'
import { withoutHostName } from './failureText.ts'
import { hostLines, maxHostLines } from './hostLines.ts'

/** Writes one line per host: its lock is free, or its holder and time. Many free ones share one line. */
export function locksText(
  locks: readonly HostLock[],
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
  return hostLines(said, { all: locks.length, colour, ...(width !== undefined && { width }) })
}

export const locksJson = (cluster: string, locks: readonly HostLock[]): string =>
  jsonText({ cluster, hosts: locks })
