import type { BatchSize, Rollout } from './rollout.ts'

/** Values that decide the position of a host in the schedule. */
export type Candidate = {
  readonly host: string
  /** True if the run changes the host; otherwise it is only verified. */
  readonly changes: boolean
  /** True if two such hosts may not be in progress together: clients of the connector wait for the others. */
  readonly inTurn: boolean
  /** True if all others go before it. */
  readonly last?: true
}

/** Hosts that switch over together; the next wave starts when all of them have ended. */
export type Wave = {
  readonly canary: boolean
  /** All hosts of the wave, in file order. */
  readonly hosts: readonly string[]
  /** Hosts of the wave that go one after another, beside the others. */
  readonly inTurn: readonly string[]
}

/**
 * Returns the waves of a run, every host in exactly one: the canary, then the changing hosts in batches. Hosts that
 * do not change join the last batch and do not count. Those of `last` are a wave of their own after all others.
 */
export function scheduleOf(all: readonly Candidate[], rollout: Rollout): readonly Wave[] {
  const [candidates, last] = [all.filter((one) => !one.last), all.filter((one) => one.last)]
  const canary = canaryOf(candidates, rollout)
  const rest = candidates.filter(({ host }) => host !== canary?.host)
  const changing = rest.filter(({ changes }) => changes)
  const size = sizeOf(rollout.batch, candidates.filter(({ changes }) => changes).length)
  const count = Math.max(rest.length > 0 ? 1 : 0, Math.ceil(changing.length / size))
  const batches = Array.from({ length: count }, (_, index) => {
    const group = new Set(changing.slice(index * size, (index + 1) * size))
    const isLast = index === count - 1
    return rest.filter((one) => group.has(one) || (isLast && !one.changes))
  })
  return [
    ...(canary === undefined ? [] : [waveOf([canary], true)]),
    ...batches.map((batch) => waveOf(batch, false)),
    ...(last.length === 0 ? [] : [waveOf(last, false)]),
  ]
}

function canaryOf(
  candidates: readonly Candidate[],
  { canary: wanted, primaries = [] }: Rollout,
): Candidate | undefined {
  if (wanted === undefined) return undefined
  if (wanted !== 'first') return candidates.find(({ host }) => host === wanted.host)
  const changing = candidates.filter(({ changes }) => changes)
  return changing.find(({ host }) => !primaries.includes(host)) ?? changing[0]
}

/** Returns at least one, otherwise never more than the share. */
function sizeOf(batch: BatchSize | undefined, changing: number): number {
  if (batch === undefined) return Math.max(1, changing)
  return 'hosts' in batch ? batch.hosts : Math.max(1, Math.floor((changing * batch.percent) / 100))
}

const waveOf = (members: readonly Candidate[], canary: boolean): Wave => ({
  canary,
  hosts: members.map(({ host }) => host),
  inTurn: members.filter(({ changes, inTurn }) => changes && inTurn).map(({ host }) => host),
})
