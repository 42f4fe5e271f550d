import { detached } from '../../base/detached.ts'

/** Rows of a facts script by key; values do not keep the whole output in memory. */
export type FactRows = {
  /** Returns the values of every row of a key. */
  readonly all: (key: string) => readonly (readonly string[])[]
  /** Returns the first value of the first row; empty if there is none. */
  readonly one: (key: string) => string
  readonly isYes: (key: string) => boolean
  /**
   * Returns the text of a file; undefined if it could not be read. It ends with a line feed even if the file does
   * not.
   */
  readonly text: (key: string) => string | undefined
  /** Returns the first line of a file. */
  readonly line: (key: string) => string | undefined
  readonly lines: readonly string[]
}

/** Reads the lines that start with the nonce of the run; ignores all others. */
export function readRows(output: string, nonce: string): FactRows {
  const mark = `${nonce}\t`
  const lines = output.split('\n').flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : []))
  const rows = new Map<string, string[][]>()
  for (const line of lines) {
    // Most lines are of files, and begin with a path.
    if (line.startsWith('/')) continue
    const [key = '', ...values] = line.split('\t').map(detached)
    const known = rows.get(key)
    if (known === undefined) rows.set(key, [values])
    else known.push(values)
  }
  const all = (key: string): readonly (readonly string[])[] => rows.get(key) ?? []
  const one = (key: string): string => all(key)[0]?.[0] ?? ''
  return {
    lines,
    all,
    one,
    isYes: (key) => one(key) === 'yes',
    text: (key) => {
      const path = all('text').find((values) => values[0] === key)?.[1]
      return path === undefined ? undefined : textOf(lines, path)
    },
    line: (key) => all(key)[0]?.[1],
  }
}

/** Returns the lines after the path of a file. */
function textOf(lines: readonly string[], path: string): string {
  const before = `${path}:`
  return lines.flatMap((line) => (line.startsWith(before) ? [`${line.slice(before.length)}\n`] : [])).join('')
}
