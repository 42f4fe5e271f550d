import { shortListOf } from '../../base/words.ts'

/** Says of a run for some hosts of a file which those are; undefined for a run for all. */
export function partText(options: {
  readonly cluster: string
  readonly hosts: readonly string[]
  readonly left: readonly string[]
}): string | undefined {
  const { cluster, hosts, left } = options
  if (left.length === 0) return undefined
  const [only, rest] = [shortListOf(hosts, 8), shortListOf(left, 8)]
  return `This was ${only} of ${cluster} alone; ${rest} ${left.length === 1 ? 'was' : 'were'} neither reached nor changed.`
}
