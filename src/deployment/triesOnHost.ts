import { parseJson } from '../base/json.ts'
import { quote } from '../base/shellWords.ts'
import type { Transport } from '../transport/transport.ts'
import { failureOf } from './hostFailure.ts'
import type { Layout } from './layout.ts'
import { musterApiCommand } from './musterApiCommand.ts'
import type { ServiceAccount } from './serviceAccount.ts'

/** Maximum number of results read from one host. */
const most = 1000

/**
 * Runs a command of the components' own program on a host, with each of these settings files, and reads the lists that it
 * prints. Undefined if it could not be run or prints something else. Never rejects for a failure of the host.
 */
export async function runTries<Tried>(
  transport: Transport,
  options: {
    readonly command: 'try-databases' | 'try-channels'
    readonly layout: Layout
    readonly files: readonly string[]
    readonly account: ServiceAccount
    /** Milliseconds for all of them. */
    readonly timeout: number
    /** Returns what a value of a list says; nothing for something else. */
    readonly read: (value: unknown) => readonly Tried[]
  },
): Promise<readonly Tried[] | undefined> {
  const { command, layout, files, account, timeout, read } = options
  const words = (file: string): string => `${command} --settings ${quote(file)}`
  const script = files
    .map((file) => `${musterApiCommand(layout.current, words(file), account)} || exit 1`)
    .join('\n')
  try {
    const { code, stdout } = await transport.run(script, { timeout })
    return code === 0 ? parseTries(stdout.raw(), read) : undefined
  } catch (error) {
    failureOf(error)
    return undefined
  }
}

/** Parses one list per line; undefined if a line is not a list, or a value is something else. */
export function parseTries<Tried>(
  text: string,
  read: (value: unknown) => readonly Tried[],
): readonly Tried[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const lists = lines.map(parseJson)
  if (lists.length === 0 || !lists.every((list) => Array.isArray(list))) return undefined
  const values = lists.flat()
  const tried = values.slice(0, most).flatMap(read)
  return tried.length === values.length ? tried : undefined
}
