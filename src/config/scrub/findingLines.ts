import type { LoadResult } from '../load.ts'

/**
 * Code and line of every finding about a file, sorted. A well-known password counts as a weak one: that is what
 * scrubbing makes of it.
 */
export const findingLines = ({ diagnostics }: LoadResult, file: string): readonly string[] =>
  diagnostics
    .filter(({ span }) => span.file === file)
    .map(({ code, span }) => `${span.line} ${code === 'default-password' ? 'weak-password' : code}`)
    .sort()

/** How many findings only one of the two lists has. */
export function distanceOf(a: readonly string[], b: readonly string[]): number {
  const left = new Map<string, number>()
  for (const one of a) left.set(one, (left.get(one) ?? 0) + 1)
  for (const one of b) left.set(one, (left.get(one) ?? 0) - 1)
  return [...left.values()].reduce((sum, count) => sum + Math.abs(count), 0)
}
