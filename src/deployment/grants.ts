import { canonicalAddress } from '../base/address.ts'
import { isObject } from '../base/json.ts'
import type { HostConfig } from '../config/model.ts'
import { isHere } from '../config/resolve/dataSources.ts'
import type { AccountOption, DatabaseLogin } from '../contracts/databaseLogin.ts'
import { monitorGrants } from '../contracts/monitorGrants.ts'
import { replicatorGrants } from '../contracts/replicatorGrants.ts'
import type { DatabaseType } from '../contracts/serverSettings.ts'
import type { TriedHost } from './databaseLogins.ts'
import { installedPart } from './manifest.ts'
import type { Target } from './target.ts'

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

const writers = { 'replication-user': replicatorGrants, 'monitor-user': monitorGrants } as const

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
