import { basename, delimiter, dirname, relative } from 'node:path'

/** How a process was started, as far as it tells how to call the program again. */
type Start = {
  /** Absolute path of the script, or of the executable, as it was typed. */
  readonly path: string | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A path that can be typed as it stands, and that is too short for a key or a digest. */
const plainPath = /^(?:\.?\/)?(?:[\w@+.-]{1,20}\/)*[\w.-]+$/
const maxLength = 40

/**
 * Returns how a program was called, for hints: `./muster` or `npx muster`. Its name alone, if it is on the PATH, was
 * started in another way, or has a path that is long or would need quotes.
 */
export function invocationOf(name: string, { path, cwd, env }: Start): string {
  if (path === undefined || basename(path) !== name) return name
  const folder = dirname(path)
  if (folder.endsWith('/node_modules/.bin') && env.npm_command === 'exec') return `npx ${name}`
  if ((env.PATH ?? '').split(delimiter).includes(folder)) return name
  const below = relative(cwd, path)
  const isShorter = !below.startsWith('..') && below.length + 2 < path.length
  const typed = isShorter ? `./${below}` : path
  return typed.length <= maxLength && plainPath.test(typed) ? typed : name
}

/** Lines that are data: an excerpt of a file, or JSON. */
const dataLine = /^\s*(?:\d* ?\||["{[])/

/** Returns a function that writes commands of a program as it was called: `./muster plan` for `muster plan`. */
export function asCalled(
  { name, as }: { readonly name: string; readonly as: string },
  commands: readonly string[],
): (text: string) => string {
  if (as === name) return (text) => text
  const called = new RegExp(`(?<![\\w./-]|npx )${name}(?= (?:--help|${commands.join('|')})(?![\\w-]))`, 'g')
  return (text) =>
    text
      .split('\n')
      .map((line) => (dataLine.test(line) ? line : line.replaceAll(called, () => as)))
      .join('\n')
}
