import { holderWords } from '../../deployment/lock/heldError.ts'
import type { HostLock } from '../../deployment/lock/hostLocks.ts'
import { paint } from './paint.ts'

/** One line a host: whether its lock is free, or who holds it since when. */
export function locksText(locks: readonly HostLock[], colour: boolean): string {
  const { bold, green, yellow, red } = paint(colour)
  const width = Math.max(0, ...locks.map(({ host }) => host.length))
  const wordsOf = (one: HostLock): string => {
    if (one.state === 'free') return green('free')
    if (one.state !== 'held') return `${red(one.state)}: ${one.failure.message}`
    const { lock } = one
    return `${yellow('held')} by ${holderWords(lock)}, since ${lock.since}, last heartbeat ${lock.idle} s ago`
  }
  return locks.map((one) => `${bold(one.host.padEnd(width))}  ${wordsOf(one)}\n`).join('')
}

/** The same for programs. */
export const locksJson = (cluster: string, locks: readonly HostLock[]): string =>
  `${JSON.stringify({ cluster, hosts: locks }, null, 2)}\n`
