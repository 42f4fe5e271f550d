import type { ReleaseFact } from '../../deployment/facts/model.ts'
import { nameParts } from '../../deployment/releases/choose.ts'
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

/** One row per release of each host: which one runs, and to which one it goes. */
export function releasesText(hosts: readonly HostReleases[], colour: boolean): string {
  const { dim, green, yellow } = paint(colour)
  const rows = hosts.flatMap(({ host, releases, current, next }) =>
    releases.map(({ id, since }) => {
      const { version, digest } = nameParts(id)
      const mark = id === current ? 'runs now' : id === next ? 'goes here' : ''
      return [host, version, digest, since ?? 'unknown', mark]
    }),
  )
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
  return `${[dim(line(titles)), ...rows.map((row) => tint(row)(line(row)))].join('\n')}\n`
}
