import type { Emit, HostOutcome } from '../events.ts'
import { mapLimit } from '../mapLimit.ts'
import { atStart, type HostWork, outcomeOf, runPhase } from './hostRun.ts'

/** Hosts that are worked on at once (deployment.md, "Two limits"). */
export const hostsAtOnce = 30

/**
 * Carries out the plans of all hosts: every host stages, then every host commits, then every host is
 * verified. When staging fails on one host, no host commits: nothing that is running has been touched. One
 * host's failure in a later phase never ends another's work; what was begun there is undone, newest first.
 * An abort stops each host after its current step.
 */
export async function execute(options: {
  readonly hosts: readonly HostWork[]
  readonly emit: Emit
  readonly signal: AbortSignal
  /** Milliseconds, monotonic. */
  readonly clock: () => number
}): Promise<readonly HostOutcome[]> {
  const progresses = options.hosts.map(atStart)
  for (const phase of ['stage', 'commit', 'verify'] as const) {
    if (phase === 'verify' && progresses.every(({ work }) => work.verify === undefined)) break
    if (phase === 'commit' && progresses.some((progress) => progress.failure !== undefined)) break
    await mapLimit({
      items: progresses.filter((progress) => progress.failure === undefined),
      limit: hostsAtOnce,
      map: (progress) => runPhase({ ...options, progress, phase }),
    })
    if (options.signal.aborted) break
  }
  return progresses.map(outcomeOf)
}
