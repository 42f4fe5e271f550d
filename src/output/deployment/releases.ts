import { shortListOf } from '../../base/words.ts'
import type { ReleaseFact } from '../../deployment/facts/hostFacts.ts'
import { nameParts } from '../../deployment/releases/chooseRelease.ts'
import { grouped } from '../../diagnostics/grouped.ts'
import { type Layout, tableLines } from '../table.ts'
import { mostLines, nameOfHosts } from './hostLines.ts'

/** The releases of a host, the last that was current first. */
export type HostReleases = {
  readonly host: string
  readonly releases: readonly ReleaseFact[]
  readonly current: string | undefined
  /** Where the host goes; undefined where it cannot. */
  readonly next: string | undefined
}

const titles = ['HOST', 'VERSION', 'DIGEST', 'CURRENT SINCE', '']

/**
 * One row per release of each host: which one runs, and to which one it goes. Many hosts that have the same releases
 * have their rows together, and their names below the table where they are not all there are.
 */
export function releasesText(hosts: readonly HostReleases[], layout: Layout): string {
  const many = hosts.length > mostLines
  const groups = grouped(hosts, many ? sameKey : ({ host }) => host)
  const nameOf = (group: readonly HostReleases[]): string => nameOfHosts(namesOf(group), hosts.length)
  const rows = groups.flatMap((group) =>
    group[0].releases.map(({ id }, index) => {
      const { version, digest } = nameParts(id)
      const mark = group[0].current === id ? 'runs now' : group[0].next === id ? 'goes here' : ''
      const tint = ({ 'runs now': 'green', 'goes here': 'yellow', '': undefined } as const)[mark]
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

/** When a release became current; of several hosts, where it was not at the same second, when the first did. */
function sinceOf(group: readonly HostReleases[], index: number): string {
  const [first = 'unknown', ...later] = [
    ...new Set(group.map(({ releases }) => releases[index]?.since ?? 'unknown')),
  ].toSorted()
  return later.length === 0 ? first : `${first} or later`
}

/** Of hosts that have the same releases, run the same one and go to the same one. */
const sameKey = ({ releases, current, next }: HostReleases): string =>
  JSON.stringify([releases.map(({ id }) => id), current, next])
