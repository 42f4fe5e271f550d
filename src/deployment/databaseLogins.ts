import { isObject, parseJson } from '../base/json.ts'
import { boundedMessage } from '../base/printable.ts'
import { quote } from '../base/shellWords.ts'
import { accountOptions, type DatabaseLogin } from '../contracts/databaseLogin.ts'
import type { Transport } from '../transport/transport.ts'
import { failureOf } from './failure.ts'
import { ownProgram } from './ownProgram.ts'
import type { Target } from './target.ts'

/** Milliseconds for all logins of a host, above what `muster-api` gives each. */
const patience = 60_000

/** Logins that are read of one host at most. */
const most = 1000

/** Logins of one host's components at databases; undefined where they could not be tried. */
export type TriedHost = {
  readonly host: string
  readonly logins: readonly DatabaseLogin[] | undefined
}

/**
 * Has the components' own program log in at the databases from the host, with the accounts and passwords that the
 * components use. Undefined for a host without such accounts. Never rejects for a failure of the host.
 */
export async function tryDatabases(transport: Transport, target: Target): Promise<TriedHost | undefined> {
  const host = target.host.name
  const files = target.components.flatMap(({ settings, settingsFile }) =>
    settings.database === undefined && settings.monitor === undefined ? [] : [settingsFile.path],
  )
  if (files.length === 0) return undefined
  const words = (file: string): string => `try-databases --settings ${quote(file)}`
  const script = files
    .map((file) => `${ownProgram(target.layout.current, words(file), target.service)} || exit 1`)
    .join('\n')
  try {
    const { code, stdout } = await transport.run(script, { timeout: patience })
    return { host, logins: code === 0 ? parseLogins(stdout.raw()) : undefined }
  } catch (error) {
    failureOf(error)
    return { host, logins: undefined }
  }
}

/** Reads the lists that `muster-api try-databases` printed, one a line; undefined where a line is none. */
export function parseLogins(text: string): readonly DatabaseLogin[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const lists = lines.map(parseJson)
  if (lists.length === 0 || !lists.every((list) => Array.isArray(list))) return undefined
  const values = lists.flat()
  const logins = values.slice(0, most).flatMap(readLogin)
  return logins.length === values.length ? logins : undefined
}

function readLogin(value: unknown): readonly DatabaseLogin[] {
  if (!isObject(value) || typeof value.place !== 'string') return []
  const option = accountOptions.find((one) => one === value.option)
  if (option === undefined || (value.error !== undefined && typeof value.error !== 'string')) return []
  const place = boundedMessage(value.place)
  if (value.error === undefined) return [{ option, place }]
  const error = boundedMessage(value.error)
  return [{ option, place, error, ...(value.refused === true ? { refused: true } : {}) }]
}
