import { canonicalAddress } from '../base/address.ts'
import { isObject, itemsOf, memberOf } from '../base/json.ts'
import { boundedMessage } from '../base/printable.ts'
import { certificatesOf } from '../certificates/pem.ts'
import type { HostConfig } from '../config/model.ts'
import { isLocalAddress } from '../config/resolve/dataSources.ts'
import type { DatabaseType } from '../contracts/choices.ts'
import { components } from '../contracts/component.ts'
import {
  type AccountOption,
  accountOptions,
  type DatabaseLogin,
  monitorGrants,
  replicationGrants,
} from '../contracts/databaseAccounts.ts'
import type { Transport } from '../transport/transport.ts'
import { installedAccount } from './desiredService.ts'
import type { HostFacts } from './facts/hostFacts.ts'
import { layoutOf } from './layout.ts'
import { installedPart } from './manifest.ts'
import type { Target } from './target.ts'
import { parseTries, runTries } from './triesOnHost.ts'

/** Milliseconds for all logins of a host, in addition to the limit of each in `muster-api`. */
const loginsTimeout = 60_000

/** Maximum number of servers that one database follows, as read. */
const maxSources = 100

/** Characters of a certificate in PEM; one with a hundred names has a tenth of it. */
const maxCertificate = 65_536

/** Database logins of one host's components; undefined if they could not be tried. */
type TriedHost = {
  readonly host: string
  readonly logins: readonly DatabaseLogin[] | undefined
}

/**
 * Runs the components' own program on the host to log in to the databases with the accounts and passwords of the
 * components. Undefined for a host without such accounts. Never rejects for a failure of the host.
 */
export async function tryDatabases(transport: Transport, target: Target): Promise<TriedHost | undefined> {
  const files = target.components.flatMap(({ settings, settingsFile }) =>
    hasAccount(settings) ? [settingsFile.path] : [],
  )
  if (files.length === 0) return undefined
  const logins = await runTries(transport, {
    ...asLogins,
    ...{ layout: target.layout, files, account: target.service },
  })
  return { host: target.host.name, logins }
}

/** The same with what is installed on the host, whatever the file says now; undefined if nothing could be tried. */
export async function tryInstalledDatabases(
  transport: Transport,
  { host, facts }: { readonly host: HostConfig; readonly facts: HostFacts },
): Promise<readonly DatabaseLogin[] | undefined> {
  const layout = layoutOf(host.installDirectory)
  const { settings } = facts.installation
  const files = components.flatMap((component) =>
    hasAccount(settings.get(component)) ? [layout.settings(component)] : [],
  )
  if (files.length === 0) return undefined
  return runTries(transport, { ...asLogins, layout, files, account: installedAccount(facts) })
}

/** How logins are tried, and what is read of them. */
const asLogins = { command: 'try-databases', timeout: loginsTimeout, read: readLogin } as const

const hasAccount = (settings: unknown): boolean =>
  ['database', 'monitor', 'switching'].some((name) => memberOf(settings, name) !== undefined)

/** Parses the output of `muster-api try-databases`, one list per line; undefined if a line is not a list. */
export const parseLogins = (text: string): readonly DatabaseLogin[] | undefined => parseTries(text, readLogin)

function readLogin(value: unknown): readonly DatabaseLogin[] {
  if (!isObject(value) || typeof value.place !== 'string') return []
  const option = accountOptions.find((one) => one === value.option)
  if (option === undefined || (value.error !== undefined && typeof value.error !== 'string')) return []
  const missing = readMissing(value.missing)
  if (missing === undefined) return []
  const login = {
    option,
    ...(typeof value.user === 'string' ? { user: boundedMessage(value.user) } : {}),
    place: boundedMessage(value.place),
    ...(value.forSwitch === true ? { forSwitch: true as const } : {}),
    ...(missing.length > 0 ? { missing } : {}),
    ...readCertificate(value.certificate),
    ...readFollowed(value.server),
  }
  if (value.error === undefined) return [login]
  const error = boundedMessage(value.error)
  return [
    {
      ...login,
      error,
      ...(value.refused === true && { refused: true }),
      ...(value.unproven === true && { unproven: true }),
    },
  ]
}

function readCertificate(value: unknown): Pick<DatabaseLogin, 'certificate'> {
  if (typeof value !== 'string' || value.length > maxCertificate) return {}
  const [certificate] = certificatesOf(value) ?? []
  return certificate ? { certificate: certificate.toString() } : {}
}

/** Reads what a database says of itself; nothing of what does not look like it. */
function readFollowed(value: unknown): Pick<DatabaseLogin, 'server'> {
  const isWritable = memberOf(value, 'isWritable')
  const places = (name: string): readonly string[] =>
    itemsOf(memberOf(value, name))
      .slice(0, maxSources)
      .flatMap((one) => (typeof one === 'string' ? [boundedMessage(one)] : []))
  if (!Array.isArray(memberOf(value, 'follows')) || typeof isWritable !== 'boolean') return {}
  const unproven = places('unproven')
  return { server: { isWritable, follows: places('follows'), ...(unproven.length > 0 && { unproven }) } }
}

/** Reads names of privileges, which are ours; undefined for anything else. */
function readMissing(value: unknown): readonly string[] | undefined {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > 50) return undefined
  const names = value.filter((it): it is string => typeof it === 'string' && /^[\w .*]{1,80}$/.test(it))
  return names.length === value.length ? names : undefined
}

/** Account that must exist in the databases, and the SQL that creates it; its password is a placeholder. */
export type AccountGrants = {
  readonly option: AccountOption
  readonly user: string
  readonly type: DatabaseType
  readonly sql: string
}

type Login = Omit<AccountGrants, 'sql'> & {
  readonly host: string
  /** Address that it logs in from; undefined if only a name is known. */
  readonly from: string | undefined
  /** True if the host was not installed with this account. */
  readonly isNew: boolean
}

const writers = { 'replication-user': replicationGrants, 'monitor-user': monitorGrants } as const

/**
 * Returns accounts that are new on any host, each once for all hosts. An account that logs in from several addresses
 * gets the host `%`.
 */
export const newGrants = (targets: readonly Target[]): readonly AccountGrants[] =>
  grantsOf(targets, ({ isNew }) => isNew)

/** Account with a failed login or without privileges, its SQL, and what is wrong. */
export type MissingGrants = AccountGrants & {
  readonly hosts: readonly string[]
  /** Error of the first host; absent if no login could be tried, or all went well. */
  readonly error?: string
  /** Set where a database itself did not let it in. */
  readonly refused?: true
  /** Privileges that it lacks for a switch at any database; absent if none. */
  readonly missing?: readonly string[]
  /** Set where nothing but switches fails. */
  readonly forSwitch?: true
}

/** Returns the databases that did not prove themselves to any host, by address, each with what the first one was told. */
export const unprovenDatabases = (tried: readonly TriedHost[]): ReadonlyMap<string, string> =>
  new Map(
    tried
      .flatMap(({ logins = [] }) => logins)
      .flatMap(({ place, error, unproven }) =>
        unproven && error !== undefined ? [[place, error] as const] : [],
      )
      .toReversed(),
  )

/** Returns accounts that a database rejected from any host, or that lack privileges for a switch; if no login could be tried, the accounts that are new. */
export function missingGrants(
  targets: readonly Target[],
  tried: readonly TriedHost[],
): readonly MissingGrants[] {
  const failuresOf = (host: string, option: AccountOption): readonly Partial<DatabaseLogin>[] => {
    const one = tried.find((it) => it.host === host)
    if (one === undefined) return []
    const isBad = (it: DatabaseLogin): boolean =>
      (it.error !== undefined && it.unproven === undefined) || it.missing !== undefined
    return one.logins?.filter((it) => it.option === option && isBad(it)) ?? [{}]
  }
  const isMissing = ({ host, option, isNew }: Login): boolean =>
    failuresOf(host, option).some(
      ({ refused, missing }) => refused === true || missing !== undefined || isNew,
    )
  return grantsOf(targets, isMissing).map((grants) => {
    const failed = targets.flatMap(({ host }) =>
      failuresOf(host.name, grants.option).map((failure) => ({ ...failure, host: host.name })),
    )
    const { error } =
      failed.find(({ refused }) => refused) ?? failed.find((one) => one.error !== undefined) ?? {}
    const hosts = [...new Set(failed.map(({ host }) => host))]
    const missing = [...new Set(failed.flatMap((one) => one.missing ?? []))]
    return {
      ...grants,
      hosts,
      ...(error === undefined ? {} : { error }),
      ...(failed.some(({ refused }) => refused) ? { refused: true as const } : {}),
      ...(missing.length === 0 ? {} : { missing }),
      ...(failed.every((one) => one.forSwitch) ? { forSwitch: true as const } : {}),
    }
  })
}

/** Returns the accounts of logins that pass `isWanted`, each once for all hosts that use it. */
function grantsOf(targets: readonly Target[], isWanted: (login: Login) => boolean): readonly AccountGrants[] {
  const types = new Set(
    targets.flatMap(({ host }) => (host.member?.datasource && host.database ? [host.database.type] : [])),
  )
  const logins = targets.flatMap((target) => [
    ...replicationLogin(target),
    ...[...types].flatMap((type) => [...switchLogin(target, type), ...monitorLogin(target, type)]),
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
    return [{ option, user, type, sql: from === '%' ? `${anyHostNote}${sql}` : sql }]
  })
}

const anyHostNote = "-- '%' matches every address: restrict it to your hosts, for example '10.0.0.%'.\n"

const addressOf = ({ address }: HostConfig): string | undefined =>
  isLocalAddress(address) ? '127.0.0.1' : canonicalAddress(address)

function replicationLogin({ host, facts }: Target): Login[] {
  const { database } = host
  if (database?.account === undefined) return []
  const { type, account } = database
  const { user } = account
  const before = installedPart(facts, 'replicator', 'database')
  const isNew =
    !isObject(before) || before.user !== user || before.type !== type || before.host !== database.host
  const from = isLocalAddress(database.host) ? database.host : addressOf(host)
  return [{ option: 'replication-user', host: host.name, user, type, from, isNew }]
}

/** The manager's logins for switches, at all databases of its services. */
function switchLogin({ host, facts, components }: Target, type: DatabaseType): Login[] {
  const user = components.find(({ settings }) => settings.switching)?.settings.switching?.user
  if (user === undefined) return []
  const before = installedPart(facts, 'manager', 'switching')
  const isNew = !isObject(before) || before.user !== user
  return [{ option: 'replication-user', host: host.name, user, type, from: addressOf(host), isNew }]
}

function monitorLogin({ host, facts }: Target, type: DatabaseType): Login[] {
  if (host.monitor === undefined) return []
  const { user } = host.monitor
  const before = installedPart(facts, 'manager', 'monitor')
  const isNew = !isObject(before) || before.user !== user
  return [{ option: 'monitor-user', host: host.name, user, type, from: addressOf(host), isNew }]
}
