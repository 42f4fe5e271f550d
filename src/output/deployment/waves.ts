import { counted, shortListOf } from '../../base/words.ts'
import type { Rollout } from '../../deployment/execution/rollout.ts'
import type { Wave } from '../../deployment/execution/schedule.ts'

/** The order of the hosts in one line; undefined where all go at once. */
export function wavesText(waves: readonly Wave[], { maxFailed }: Rollout): string | undefined {
  if (waves.length < 2) return undefined
  const batches = waves.filter(({ canary }) => !canary)
  const [first] = waves
  const most = Math.max(...batches.map(({ hosts }) => hosts.length))
  const [only] = batches
  const one = only !== undefined && batches.length === 1
  const order = first?.canary
    ? `: ${first.hosts.join()} alone, then ${one ? shortListOf(only.hosts, 8) : `at most ${counted(most, 'host')} each`}`
    : ` of at most ${counted(most, 'host')}`
  const end = maxFailed === 0 ? 'a failure ends it' : `more than ${counted(maxFailed, 'failure')} end it`
  return `${waves.length} waves${order}; ${end} before the next`
}
