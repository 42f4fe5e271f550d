import type { BatchSize, Rollout } from './rollout.ts'

/** Host with all that its place in the order depends on. */
export type Candidate = {
  readonly host: string
  /** True where the run changes it; another one is only proved. */
  readonly changes: boolean
  /** True where it may not be at work while another such host is: clients of its connector wait for the others. */
  readonly inTurn: boolean
}

/** Hosts that switch over together; the next wave begins when all of them have come to their end. */
export type Wave = {
  readonly canary: boolean
  /** All of the wave, in the order of the file. */
  readonly hosts: readonly string[]
  /** Those of them that go one after another, beside the others. */
  readonly inTurn: readonly string[]
}

/**
 * The waves of a run, every host in exactly one of them: the canary, then the hosts that change in groups of the
 * batch's size. Hosts that do not change go with the last wave and count for none.
 */
export function scheduleOf(candidates: readonly Candidate[], rollout: Rollout): readonly Wave[] {
  const canary = canaryOf(candidates, rollout)
  const rest = candidates.filter(({ host }) => host !== canary?.host)
  const changing = rest.filter(({ changes }) => changes)
  const size = sizeOf(rollout.batch, candidates.filter(({ changes }) => changes).length)
  const count = Math.max(rest.length > 0 ? 1 : 0, Math.ceil(changing.length / size))
  const batches = Array.from({ length: count }, (_, index) => {
    const group = new Set(changing.slice(index * size, (index + 1) * size))
    const last = index === count - 1
    return rest.filter((one) => group.has(one) || (last && !one.changes))
  })
  return [
    ...(canary === undefined ? [] : [waveOf([canary], true)]),
    ...batches.map((batch) => waveOf(batch, false)),
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

/** At least one; a share is never exceeded otherwise. */
function sizeOf(batch: BatchSize | undefined, changing: number): number {
  if (batch === undefined) return Math.max(1, changing)
  return 'hosts' in batch ? batch.hosts : Math.max(1, Math.floor((changing * batch.percent) / 100))
}

const waveOf = (members: readonly Candidate[], canary: boolean): Wave => ({
  canary,
  hosts: members.map(({ host }) => host),
  inTurn: members.filter(({ changes, inTurn }) => changes && inTurn).map(({ host }) => host),
})
