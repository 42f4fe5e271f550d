import type { ReleaseFact } from '../../deployment/facts/model.ts'
import { nameParts } from '../../deployment/releases/choose.ts'
import { counted, shortListOf } from '../../diagnostics/words.ts'
import { mostLines } from './hostLines.ts'
import { paint } from './paint.ts'

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
export function releasesText(hosts: readonly HostReleases[], colour: boolean): string {
  const { dim, green, yellow } = paint(colour)
  const groups = hosts.length > mostLines ? alike(hosts) : hosts.map((one) => [one])
  const nameOf = (group: readonly HostReleases[]): string => {
    if (group.length === 1) return group.map(({ host }) => host).join()
    return `${group.length === hosts.length ? 'all ' : ''}${counted(group.length, 'host')}`
  }
  const rows = groups.flatMap((group) =>
    (group[0]?.releases ?? []).map(({ id }, index) => {
      const { version, digest } = nameParts(id)
      const mark = group[0]?.current === id ? 'runs now' : group[0]?.next === id ? 'goes here' : ''
      return [nameOf(group), version, digest, sinceOf(group, index), mark]
    }),
  )
  const named = groups
    .filter(({ length }) => length > 1 && length < hosts.length)
    .map((group) => `${nameOf(group)}: ${shortListOf(namesOf(group), 12)}`)
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  const tint = (row: readonly string[]): ((text: string) => string) =>
    row.at(-1) === 'runs now' ? green : row.at(-1) === 'goes here' ? yellow : (text) => text
  return `${[dim(line(titles)), ...rows.map((row) => tint(row)(line(row))), ...named].join('\n')}\n`
}

const namesOf = (hosts: readonly HostReleases[]): readonly string[] => hosts.map(({ host }) => host)

/** When a release became current; of several hosts, where it was not at the same second, when the first did. */
function sinceOf(group: readonly HostReleases[], index: number): string {
  const [first = 'unknown', ...later] = [
    ...new Set(group.map(({ releases }) => releases[index]?.since ?? 'unknown')),
  ].toSorted()
  return later.length === 0 ? first : `${first} or later`
}

/** Hosts that have the same releases, run the same one and go to the same one. */
function alike(hosts: readonly HostReleases[]): readonly (readonly HostReleases[])[] {
  const groups = new Map<string, HostReleases[]>()
  for (const one of hosts) {
    const key = JSON.stringify([one.releases.map(({ id }) => id), one.current, one.next])
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()]
}
