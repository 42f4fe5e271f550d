import { canonicalAddress } from '../base/address.ts'
import { isObject, parseJson } from '../base/json.ts'
import { boundedMessage } from '../base/printable.ts'
import { quote } from '../base/shellWords.ts'
import type { HostConfig } from '../config/model.ts'
import { isHere } from '../config/resolve/dataSources.ts'
import {
  type AccountOption,
  accountOptions,
  type DatabaseLogin,
  monitorGrants,
  replicationGrants,
} from '../contracts/databaseAccounts.ts'
import type { DatabaseType } from '../contracts/serverSettings.ts'
import type { Transport } from '../transport/transport.ts'
import { failureOf } from './failure.ts'
import { installedPart } from './manifest.ts'
import { ownProgram } from './ownProgram.ts'
import type { Target } from './target.ts'

/** Milliseconds for all logins of a host, above what `muster-api` gives each. */
const patience = 60_000

/** Logins that are read of one host at most. */
const most = 1000

/** Logins of one host's components at databases; undefined where they could not be tried. */
type TriedHost = {
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

/** An account that must exist in the databases, and the SQL that makes it; its password is a placeholder. */
export type AccountGrants = {
  readonly option: AccountOption
  readonly user: string
  readonly type: DatabaseType
  readonly sql: string
}

type Login = Omit<AccountGrants, 'sql'> & {
  readonly host: string
  /** The address that it logs in from; undefined where only a name is known. */
  readonly from: string | undefined
  /** Whether the host was not installed with this account. */
  readonly isNew: boolean
}

const writers = { 'replication-user': replicationGrants, 'monitor-user': monitorGrants } as const

/**
 * Accounts of which something is new on any host, each once for all hosts; none where everything is as it was
 * installed. An account that logs in from several addresses is written for all of them, `%`.
 */
export const newGrants = (targets: readonly Target[]): readonly AccountGrants[] =>
  grantsOf(targets, ({ isNew }) => isNew)

/** An account with which a login failed, its SQL, and why. */
export type MissingGrants = AccountGrants & {
  readonly hosts: readonly string[]
  /** What the first host was told; absent where no login could be tried. */
  readonly error?: string
}

/**
 * Accounts that a database did not let in from any host. Where no login could be tried, those of which something is
 * new.
 */
export function missingGrants(
  targets: readonly Target[],
  tried: readonly TriedHost[],
): readonly MissingGrants[] {
  const failuresOf = (host: string, option: AccountOption): readonly Partial<DatabaseLogin>[] => {
    const one = tried.find((it) => it.host === host)
    if (one === undefined) return []
    return one.logins?.filter((it) => it.option === option && it.error !== undefined) ?? [{}]
  }
  const isMissing = ({ host, option, isNew }: Login): boolean =>
    failuresOf(host, option).some(({ refused }) => refused === true || isNew)
  return grantsOf(targets, isMissing).map((grants) => {
    const failed = targets.flatMap(({ host }) =>
      failuresOf(host.name, grants.option).map((failure) => ({ ...failure, host: host.name })),
    )
    const { error } =
      failed.find(({ refused }) => refused) ?? failed.find((one) => one.error !== undefined) ?? {}
    const hosts = [...new Set(failed.map(({ host }) => host))]
    return { ...grants, hosts, ...(error === undefined ? {} : { error }) }
  })
}

/** Accounts with a login that `isWanted`, written for all hosts that log in with them. */
function grantsOf(targets: readonly Target[], isWanted: (login: Login) => boolean): readonly AccountGrants[] {
  const types = new Set(
    targets.flatMap(({ host }) => (host.member?.datasource && host.database ? [host.database.type] : [])),
  )
  const logins = targets.flatMap((target) => [
    ...replicationLogin(target),
    ...[...types].flatMap((type) => monitorLogin(target, type)),
  ])
  const accounts = new Map(
    logins.map((login) => [JSON.stringify([login.option, login.type, login.user]), login]),
  )
  return [...accounts.values()].flatMap(({ option, user, type }) => {
    const same = logins.filter((one) => one.option === option && one.type === type && one.user === user)
    if (!same.some(isWanted)) return []
    const addresses = new Set(same.map(({ from }) => from))
    const [only = '%'] = addresses
    const from = addresses.size === 1 ? only : '%'
    const sql = writers[option]({ type, user, from })
    return [{ option, user, type, sql: from === '%' ? `${everywhere}${sql}` : sql }]
  })
}

const everywhere = "-- '%' is every address: narrow it to your own hosts, as in '10.0.0.%'.\n"

const addressOf = ({ address }: HostConfig): string | undefined =>
  isHere(address) ? '127.0.0.1' : canonicalAddress(address)

function replicationLogin({ host, facts }: Target): Login[] {
  const { database } = host
  if (database?.account === undefined) return []
  const { type, account } = database
  const { user } = account
  const before = installedPart(facts, 'replicator', 'database')
  const isNew =
    !isObject(before) || before.user !== user || before.type !== type || before.host !== database.host
  const from = isHere(database.host) ? database.host : addressOf(host)
  return [{ option: 'replication-user', host: host.name, user, type, from, isNew }]
}

function monitorLogin({ host, facts }: Target, type: DatabaseType): Login[] {
  if (host.monitor === undefined) return []
  const { user } = host.monitor
  const before = installedPart(facts, 'manager', 'monitor')
  const isNew = !isObject(before) || before.user !== user
  return [{ option: 'monitor-user', host: host.name, user, type, from: addressOf(host), isNew }]
}
