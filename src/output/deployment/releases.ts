import { shortListOf } from '../../base/words.ts'
import type { ReleaseFact } from '../../deployment/facts/hostFacts.ts'
import { nameParts } from '../../deployment/releases/chooseRelease.ts'
import { groupBy } from '../../diagnostics/groupBy.ts'
import { type Layout, tableLines } from '../table.ts'
import { maxHostLines, nameOfHosts } from './hostLines.ts'

/** Releases of a host, the last used one first. */
export type HostReleases = {
  readonly host: string
  readonly releases: readonly ReleaseFact[]
  readonly current: string | undefined
  /** Target of a rollback; undefined if there is none. */
  readonly next: string | undefined
}

const titles = ['HOST', 'VERSION', 'DIGEST', 'CURRENT SINCE', '']

/**
 * Writes one row per release of each host, with marks for the current one and the target of a rollback. Hosts
 * with the same releases share rows, and are named below the table unless they are all.
 */
export function releasesText(hosts: readonly HostReleases[], layout: Layout): string {
  const many = hosts.length > maxHostLines
  const groups = groupBy(hosts, many ? sameKey : ({ host }) => host)
  const nameOf = (group: readonly HostReleases[]): string => nameOfHosts(namesOf(group), hosts.length)
  const rows = groups.flatMap((group) =>
    group[0].releases.map(({ id }, index) => {
      const { version, digest } = nameParts(id)
      const mark = group[0].current === id ? 'current' : group[0].next === id ? 'target' : ''
      const tint = ({ current: 'green', target: 'yellow', '': undefined } as const)[mark]
      const texts = [nameOf(group), version, digest, sinceOf(group, index), mark]
      return texts.map((text) => ({ text, ...(tint && { tint }) }))
    }),
  )
  const named = groups
    .filter(({ length }) => length > 1 && length < hosts.length)
    .map((group) => `${nameOf(group)}: ${shortListOf(namesOf(group), 12)}`)
  const table = tableLines({ titles, rows, ...layout })
  return `${[...table, ...named].join('\n')}\n`
}

const namesOf = (hosts: readonly HostReleases[]): readonly string[] => hosts.map(({ host }) => host)

/** Returns the time when a release became current; the earliest of several hosts. */
function sinceOf(group: readonly HostReleases[], index: number): string {
  const [first = 'unknown', ...later] = [
    ...new Set(group.map(({ releases }) => releases[index]?.since ?? 'unknown')),
  ].toSorted()
  return later.length === 0 ? first : `${first} or later`
}

/** Key of equal releases, current release and target. */
const sameKey = ({ releases, current, next }: HostReleases): string =>
  JSON.stringify([releases.map(({ id }) => id), current, next])
