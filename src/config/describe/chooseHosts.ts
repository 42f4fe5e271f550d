import { nearest } from '../../diagnostics/nearest.ts'

/** A name or a pattern as one test: `*` is any number of characters, `?` one. Capital letters do not matter. */
function matcher(pattern: string): RegExp {
  const parts = pattern
    .split(/(\*+|\?)/)
    .map((part) => {
      if (part.startsWith('*')) return '.*'
      return part === '?' ? '.' : part.replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    })
    .join('')
  return new RegExp(`^${parts}$`, 'iu')
}

/** Which hosts `--host` means. */
export type ChosenHosts = {
  /** Those that any pattern matches; all of them when there is no pattern. */
  readonly names: ReadonlySet<string>
  /** Patterns that match none, with the host that was probably meant. */
  readonly unmatched: readonly { readonly pattern: string; readonly nearest: string | undefined }[]
}

/** Matches names and patterns (`db*`, `db?`) against the hosts there are. */
export function chooseHosts(patterns: readonly string[], hosts: readonly string[]): ChosenHosts {
  if (patterns.length === 0) return { names: new Set(hosts), unmatched: [] }
  const tests = patterns.map((pattern) => ({ pattern, test: matcher(pattern) }))
  return {
    names: new Set(hosts.filter((host) => tests.some(({ test }) => test.test(host)))),
    unmatched: tests
      .filter(({ test }) => !hosts.some((host) => test.test(host)))
      .map(({ pattern }) => ({ pattern, nearest: nearest(pattern, hosts) })),
  }
}
