import { printableLine } from '../base/printable.ts'
import { quote } from '../base/shellWords.ts'
import { databaseLogin } from './discovery/databaseScript.ts'
import { changeableFunction } from './trustedFolder.ts'

/** An account whose sessions write to a MariaDB that is read-only, and what they do now. */
export type UnboundAccount = {
  /** As in a GRANT: `'root'@'localhost'`. */
  readonly account: string
  /** Each what one session does and from where, such as `INSERT INTO t.x VALUES from localhost`. */
  readonly sessions: readonly string[]
}

/** Most bytes and rows that are read. */
const limits = { bytes: 262_144, rows: 2_000 }

/** Bit of READ ONLY ADMIN in the rights of an account, and of SUPER, which included it before 10.11 (privilege.h). */
const rights = { readOnlyAdmin: 2 ** 33, super: 2 ** 15 }

/** Address of a session's client, without its port. */
const client = "REGEXP_REPLACE(process.HOST, ':[0-9]+$', '')"

/**
 * Prints the port of the server, each session with every account that it may be of: its own rights, or those of a role
 * that it has, let it write to a read-only server, or not; last a row if the login may see all of that. Passwords are in
 * other parts of the same column.
 */
const statements = `
SELECT 'server' AS kind, @@GLOBAL.port AS port;
WITH RECURSIVE held (user, host, role) AS (
  SELECT User, Host, Role FROM mysql.roles_mapping
  UNION
  SELECT held.user, held.host, more.Role
    FROM held JOIN mysql.roles_mapping AS more ON more.Host = '' AND more.User = held.role
), unbound (user, host) AS (
  SELECT User, Host FROM mysql.global_priv
  WHERE CAST(JSON_VALUE(Priv, '$.access') AS UNSIGNED) & (${rights.readOnlyAdmin} |
    IF(VERSION() RLIKE '^10[.]([0-9]|10)[.]', ${rights.super}, 0)) > 0
)
SELECT 'session' AS kind, process.ID, account.User, account.Host,
  (account.User, account.Host) IN (SELECT user, host FROM unbound) OR EXISTS (
    SELECT 1 FROM held JOIN unbound ON unbound.user = held.role AND unbound.host = ''
    WHERE held.user = account.User AND held.host = account.Host) AS unbound,
  ${client} AS client, process.COMMAND, LEFT(COALESCE(process.INFO, ''), 200) AS statement
FROM information_schema.PROCESSLIST AS process
JOIN mysql.global_priv AS account
  ON account.User = process.USER AND (${client} LIKE account.Host OR account.Host IN ('', '%') OR account.Host LIKE '%/%')
WHERE process.ID <> CONNECTION_ID() AND process.COMMAND NOT IN ('Binlog Dump', 'Daemon')
  AND process.COMMAND NOT LIKE 'Slave%'
LIMIT ${limits.rows};
SELECT 'complete' AS kind FROM mysql.global_priv JOIN information_schema.USER_PRIVILEGES
  ON PRIVILEGE_TYPE = 'PROCESS' AND GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''') LIMIT 1;
`

/**
 * sh that prints the sessions of the database server of a host, over its Unix socket, as the client of the host logs in by
 * itself (see `databaseLogin`). It reads and never writes.
 */
export const unboundSessionsScript = `(
me=$(id -u)
${changeableFunction}
${databaseLogin}
if [ -z "$client" ]; then echo 'client	no'
elif [ -z "$way" ]; then printf 'refused\\t%s\\n' "$(printf %s "$failure" | tr -s '[:cntrl:]' ' ' | head -c 1000)"
else echo ${quote(statements)} | ask 20 "$@" 2>/dev/null
fi
) | head -c ${limits.bytes} | base64 | tr -d '\\n'`

type Row = {
  readonly user: string
  readonly host: string
  readonly isUnbound: boolean
  readonly client: string
  readonly command: string
  readonly statement: string
}

/** Returns what the output of the script says of the server at a port; a text says why nothing is known. */
export function parseUnboundSessions(output: string, port: number): readonly UnboundAccount[] | string {
  const lines = Buffer.from(output, 'base64')
    .toString('utf8')
    .split('\n')
    .map((line) => line.split('\t'))
  const rowsOf = (key: string): readonly (readonly string[])[] =>
    lines.flatMap(([kind, ...values]) => (kind === key ? [values] : []))
  const [refused] = rowsOf('refused')
  if (refused !== undefined) {
    const said = printableLine((refused[0] ?? '').slice(0, 300))
    return said === '' ? 'the database did not answer in time' : `the login at the database failed: ${said}`
  }
  if (rowsOf('client').length > 0) return 'the host has no client of the database (mariadb or mysql)'
  // The names of columns are rows, too.
  const servers = rowsOf('server').flatMap(([found = '']) => (/^\d+$/.test(found) ? [Number(found)] : []))
  if (servers.length === 0) return 'the database did not answer'
  if (!servers.includes(port)) return `the server at its usual socket is not the one at port ${port}`
  if (rowsOf('complete').length === 0)
    return 'the login at the database may not see all sessions and accounts'
  const sessions = new Map<string, Row[]>()
  for (const [id = '', user = '', host = '', unbound, client = '', command = '', statement = ''] of rowsOf(
    'session',
  )) {
    const row = { user, host, isUnbound: unbound === '1', client, command, statement }
    sessions.set(id, [...(sessions.get(id) ?? []), row])
  }
  const found = new Map<string, string[]>()
  for (const rows of sessions.values()) {
    const [row] = rows.toSorted((a, b) => precisionOf(b) - precisionOf(a))
    if (!row?.isUnbound) continue
    const name = (text: string): string => `'${printableLine(text.slice(0, 80))}'`
    const account = `${name(row.user)}@${name(row.host)}`
    found.set(account, [...(found.get(account) ?? []), activityOf(row)])
  }
  return [...found].map(([account, does]) => ({ account, sessions: does }))
}

/** Of several accounts the one counts whose first wildcard comes last (mariadb.com/kb/en/create-user, "Host Name Component"). */
function precisionOf({ host }: Row): number {
  const wildcard = host.search(/[%_]/)
  return wildcard < 0 && host !== '' ? Number.POSITIVE_INFINITY : wildcard
}

/** Writes what a session does: a statement up to its first value, since values may be secret. */
function activityOf({ command, statement, client }: Row): string {
  const [words = ''] = /^[\w\s.`*,]*/.exec(statement.replaceAll(/\\[nt]/g, ' ')) ?? []
  const run = command === 'Sleep' ? 'idle' : words.trim().replaceAll(/\s+/g, ' ').slice(0, 60) || command
  return `${printableLine(run)} from ${printableLine(client.slice(0, 80))}`
}
