import { shortListOf } from '../../base/words.ts'
import type { HostOutcome } from '../../deployment/events.ts'

/**
 * After a run over APIs that failed somewhere: which hosts have which users now, and how to go on; undefined where
 * none failed.
 */
export function usersNowText(operation: string, outcomes: readonly HostOutcome[]): string | undefined {
  const isBad = ({ result }: HostOutcome): boolean => result === 'failed' || result === 'unreachable'
  if (!outcomes.some(isBad)) return undefined
  const line = (words: string, is: (outcome: HostOutcome) => boolean): readonly string[] => {
    const hosts = outcomes.filter(is).map(({ host }) => host)
    return hosts.length === 0 ? [] : [`${words}: ${shortListOf(hosts, 8)}.`]
  }
  const lines = [
    ...line('Users as the file says', ({ result }) => result === 'changed' || result === 'unchanged'),
    ...line('Users as before', (one) => one.undone === true || one.result === 'not-started'),
    ...line('Failed, see above', (one) => isBad(one) && one.undone !== true),
    `Fix the reported problem, then run \`muster ${operation}\` again: it changes only what is missing.`,
  ]
  return `${lines.join('\n')}\n`
}
