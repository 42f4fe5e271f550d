import type { Rollout } from '../../deployment/execution/rollout.ts'
import type { Wave } from '../../deployment/execution/schedule.ts'
import { counted, shortListOf } from '../../diagnostics/words.ts'

/** The order of the hosts in one line; undefined where all go at once. */
export function wavesText(waves: readonly Wave[], { maxFailed }: Rollout): string | undefined {
  if (waves.length < 2) return undefined
  const batches = waves.filter(({ canary }) => !canary)
  const [first] = waves
  const most = Math.max(...batches.map(({ hosts }) => hosts.length))
  const [only] = batches
  const rest =
    batches.length === 1 && only !== undefined
      ? shortListOf(only.hosts, 8)
      : `${batches.length} waves of at most ${counted(most, 'host')}`
  const order = first?.canary ? `${first.hosts.join()} first, then ${rest}` : rest
  const end = maxFailed === 0 ? 'a failure ends it' : `more than ${counted(maxFailed, 'failure')} end it`
  return `${order}; ${end} before the next`
}
