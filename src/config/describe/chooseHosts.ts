import { nearest } from '../../diagnostics/nearest.ts'

/**
 * Compiles a shell pattern (POSIX, 2.13): `*` is any number of characters, `?` one, `[12]` or `[a-c]` one of
 * these, `[!12]` one of the others. Ignores case.
 */
function matcher(pattern: string): RegExp {
  const parts = pattern.split(/(\*+|\?|\[!?[a-z0-9-]+\])/i).map((part, index) => {
    if (index % 2 === 0) return part.replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    if (part === '?') return '.'
    return part.startsWith('*') ? '.*' : part.replace('!', '^')
  })
  try {
    return new RegExp(`^${parts.join('')}$`, 'iu')
  } catch {
    // A range that runs backwards, such as [3-1], has nothing in it.
    return /(?!)/
  }
}

/** Splits a list such as `db1,db[2-4]`; names and patterns have no commas. */
const splitList = (list: string): readonly string[] => list.match(/[^,]+/g) ?? [list]

/** Hosts that `--host` selects. */
export type ChosenHosts = {
  /** Hosts that match any pattern and none that begins with `!`; all where none chooses. */
  readonly names: ReadonlySet<string>
  /** Patterns without a match, with the host that was probably meant. */
  readonly unmatched: readonly { readonly pattern: string; readonly nearest: string | undefined }[]
}

/** Matches names, patterns and lists of them (`db1,db2`, `db*`, `db[12]`, `!db3`) against the hosts of the file. */
export function chooseHosts(given: readonly string[], hosts: readonly string[]): ChosenHosts {
  if (given.length === 0) return { names: new Set(hosts), unmatched: [] }
  const tests = given.flatMap(splitList).map((pattern) => {
    const excludes = pattern.startsWith('!')
    const name = excludes ? pattern.slice(1) : pattern
    return { pattern, name, excludes, test: matcher(name) }
  })
  const matches = (host: string, of: typeof tests): boolean => of.some(({ test }) => test.test(host))
  const excluding = tests.filter(({ excludes }) => excludes)
  const choosing = tests.filter(({ excludes }) => !excludes)
  const chosen = choosing.length === 0 ? hosts : hosts.filter((host) => matches(host, choosing))
  return {
    names: new Set(chosen.filter((host) => !matches(host, excluding))),
    unmatched: tests
      .filter(({ test }) => !hosts.some((host) => test.test(host)))
      .map(({ pattern, name }) => ({ pattern, nearest: nearest(name, hosts) })),
  }
}
