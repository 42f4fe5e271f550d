import type { Readable } from 'node:stream'

/** A stream that a command prints to: the process's own, or a test's. */
export type Output = {
  write(text: string): unknown
  /** For data, such as the logs of hosts: the same, but commands in it stay as they are. */
  writeData?(text: string): unknown
  /** For a file that standard output is meant to be: exactly this text, unless a terminal shows it. */
  writeFile?(text: string): unknown
  /** In place of the whole screen; elsewhere than on a terminal the text follows the others. */
  rewrite?(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
}

/** Everything of the world that a command may touch; the programs hand in the real one, tests their own. */
export type CommandContext = {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  /** Working directory, absolute. */
  readonly cwd: string
  /** Current time. */
  readonly now: () => Date
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
  /** Folder that holds package.json, templates/ and dist/; empty in the single executable, which has them within. */
  readonly packageDirectory: string
  /** Version of muster, from package.json. */
  readonly version: string
  /** The way that the program was called, such as `./muster`, for hints; absent: by its name. */
  readonly calledAs?: string | undefined
  /** As --quiet or --verbose of the command that runs ask. */
  readonly verbosity?: 'quiet' | 'verbose' | undefined
  /** Hosts in progress at a time, as --forks of the command that runs asks; absent: as many as is usual. */
  readonly forks?: number | undefined
}

/** Returns a stream with the properties of another one at each moment, and its own way to write. */
export const writingAs = (
  stream: Output,
  writes: Pick<Output, 'write' | 'writeData' | 'writeFile' | 'rewrite'>,
): Output => ({
  ...writes,
  get isTTY() {
    return stream.isTTY
  },
  get columns() {
    return stream.columns
  },
  get rows() {
    return stream.rows
  },
})
