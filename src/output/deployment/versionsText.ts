import { nameParts } from '../../deployment/releases/chooseRelease.ts'
import { type Layout, tableLines } from '../table.ts'

/** Release on a host; without one, nothing is installed or the host was not reached. */
export type HostVersion = {
  readonly host: string
  readonly state: 'installed' | 'not-installed' | 'unreachable' | 'failed'
  /** Name of the current release, VERSION-DIGEST. */
  readonly release?: string
}

const titles = ['HOST', 'VERSION', 'RELEASE']

/** Writes one row per host; a version other than `own` is yellow. */
export function versionsText(hosts: readonly HostVersion[], { own, ...layout }: Layout & { own: string }) {
  const rows = hosts.map(({ host, state, release }) => {
    if (release === undefined) {
      const tint = state === 'not-installed' ? 'yellow' : 'red'
      return [host, { text: state.replace('-', ' '), tint }] as const
    }
    const { version } = nameParts(release)
    return [host, version === own ? version : ({ text: version, tint: 'yellow' } as const), release]
  })
  return `${tableLines({ titles, rows, ...layout }).join('\n')}\n`
}
