import type { DatabaseType } from '../../contracts/choices.ts'
import { replicationPrivileges } from '../../contracts/databaseAccounts.ts'
import type { Row } from './connection.ts'
import { databaseTypeOf } from './dialects.ts'

/** Lines of SHOW GRANTS that are read of an account that has more. */
const mostGrants = 1000

/** Returns the privileges that lines of SHOW GRANTS hold on everything (`*.*`) or on one database (`name.*`). */
function privilegesOn(grants: readonly string[], database: string): ReadonlySet<string> {
  return new Set(
    grants.flatMap((line) => {
      const [, list = '', on] = /^GRANT ([A-Z_, ]+) ON (\*|`[^`]{1,64}`)\.\* TO /.exec(line) ?? []
      return on === '*' || on === `\`${database}\`` ? list.split(',').map((it) => it.trim()) : []
    }),
  )
}

/** Names of a privilege in SHOW GRANTS, other than its own (mariadb.com/kb/en/grant, "Global Privileges"). */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  'REPLICA MONITOR': ['SLAVE MONITOR'],
  'BINLOG MONITOR': ['REPLICATION CLIENT'],
}

/** Privileges that SUPER holds nothing of, in any version. */
const apart: ReadonlySet<string> = new Set([
  'PROCESS',
  'RELOAD',
  'REPLICATION SLAVE',
  'SELECT',
  'SYSTEM_USER',
])

/** Returns true where SUPER includes a privilege: MariaDB took READ_ONLY ADMIN out of it in 10.11 and the others in 11.0. */
function isInSuper(privilege: string, version: string): boolean {
  if (apart.has(privilege)) return false
  if (databaseTypeOf(version) === 'mysql') return true
  const [major, minor] = versionOf(version)
  if (major >= 11) return false
  return privilege !== 'READ_ONLY ADMIN' || minor < 11
}

/** Returns the main and the second number of a version such as `10.11.6-MariaDB-log`. */
function versionOf(version: string): readonly [major: number, minor: number] {
  const [, major = '0', minor = '0'] = /^(\d{1,4})\.(\d{1,4})/.exec(version) ?? []
  return [Number(major), Number(minor)]
}

/** Returns true for MariaDB before 10.5, where REPLICATION CLIENT and SUPER are all that there is. */
const hasOldPrivileges = (type: DatabaseType, version: string): boolean => {
  const [major, minor] = versionOf(version)
  return type === 'mariadb' && (major < 10 || (major === 10 && minor < 5))
}

/**
 * Returns the privileges of the account of `replication-user` that these lines of SHOW GRANTS do not hold, by the words of
 * GRANT. MariaDB lists the privileges of active roles too. MySQL does not: for an account with roles nothing is known, and
 * nothing is said to be missing.
 */
export function missingPrivileges(grants: readonly string[], version: string): readonly string[] {
  const type = databaseTypeOf(version)
  const lines = grants.slice(0, mostGrants)
  if (type === 'mysql' && lines.some((line) => /^GRANT [`']/.test(line))) return []
  const held = privilegesOn(lines, '')
  if (held.has('ALL PRIVILEGES')) return []
  return replicationPrivileges(type).flatMap(([privilege, , on]) => {
    const database = on?.replace('.*', '') ?? ''
    const names = [privilege, ...(otherNames[privilege] ?? [])]
    if (hasOldPrivileges(type, version) && privilege === 'REPLICA MONITOR') names.push('REPLICATION CLIENT')
    if (isInSuper(privilege, version)) names.push('SUPER')
    const all = database === '' ? held : new Set([...held, ...privilegesOn(lines, database)])
    if (all.has('ALL PRIVILEGES') || names.some((name) => all.has(name))) return []
    return [on === undefined ? privilege : `${privilege} ON ${on}`]
  })
}

type Ask = (statement: string) => Promise<readonly Row[]>

/** Reads the lines of SHOW GRANTS for the account of a connection. */
async function readGrants(ask: Ask): Promise<readonly string[]> {
  // The one column is named after the account.
  const grants = (await ask('SHOW GRANTS')).flatMap((it) => Object.values(it).slice(0, 1))
  return grants.filter((it) => it !== null).slice(0, mostGrants)
}

/** Reads which privileges of `replication-user` the account of a connection does not have. */
export async function readMissingPrivileges(ask: Ask): Promise<readonly string[]> {
  const [row] = await ask('SELECT VERSION() AS version')
  return missingPrivileges(await readGrants(ask), row?.version ?? '')
}

/** Reads whether the account of a connection has SUPER. */
export async function readSuper(ask: Ask): Promise<boolean> {
  const held = privilegesOn(await readGrants(ask), '')
  return held.has('SUPER') || held.has('ALL PRIVILEGES')
}
