import { quote } from '../../base/shellWords.ts'

/** Variables of MariaDB and MySQL that say what a server is; none holds a password. */
const variableNames = [
  ...['version', 'version_comment', 'port', 'socket', 'datadir', 'bind_address', 'skip_networking'],
  ...['read_only', 'super_read_only', 'server_id', 'server_uuid', 'log_bin', 'gtid_mode', 'gtid_domain_id'],
  ...['gtid_executed', 'gtid_current_pos', 'gtid_binlog_pos', 'wsrep_on', 'group_replication_group_name'],
  ...['rpl_semi_sync_master_enabled', 'rpl_semi_sync_slave_enabled'],
  ...['rpl_semi_sync_source_enabled', 'rpl_semi_sync_replica_enabled'],
] as const

/** Parts of what a server is asked for, in this order. A server that does not know a statement skips it. */
const parts = {
  variables: `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${variableNames.map((name) => `'${name}'`).join(', ')})`,
  // Each server knows one of these; none of them prints a password.
  mariadb: 'SHOW ALL SLAVES STATUS',
  mysql: 'SHOW REPLICA STATUS',
  older: 'SHOW SLAVE STATUS',
  // Names and global privileges of accounts; neither the view nor this statement knows a hash.
  accounts: `SELECT GRANTEE, PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE <> 'USAGE' ORDER BY GRANTEE LIMIT 20000`,
  end: "SELECT 'yes' AS complete",
} as const

export type DatabasePart = keyof typeof parts

export const isDatabasePart = (word: string): word is DatabasePart => Object.hasOwn(parts, word)

const statements = (mark: string): string =>
  Object.entries(parts)
    .map(([part, statement]) => `SELECT '${mark}' AS mark, '${part}' AS part;\n${statement};\n`)
    .join('')

/** Bytes of a server's answers. */
const maxAnswer = 1_048_576

/**
 * sh that finds how the client of a host logs in at its database by itself: as the user of the login, with the option
 * files that the client reads, then with Debian's. Needs `$me` and `changeable`; sets `client` and `way`, each empty if
 * there is none, `failure`, and the arguments of `ask`. It goes over the Unix socket.
 */
export const databaseLogin = `
# The option files of the login, whatever HOME is left from before.
if [ "$me" = 0 ]; then HOME=~root; export HOME; fi
client=
for c in mariadb mysql; do
  client=$(command -v "$c" 2>/dev/null) && break
done
# Within the time limit of the script, even where nothing answers.
ask() { limit=$1; shift; timeout -k 2 "$limit" "$client" "$@" --protocol=socket --connect-timeout=5 --batch --force --default-character-set=utf8mb4; }
way=
failure=
debian=/etc/mysql/debian.cnf
set --
if [ -n "$client" ]; then
  failure=$(echo 'SELECT 1;' | ask 6 2>&1 >/dev/null) && way=usual
  if [ -z "$way" ] && [ "$me" = 0 ] && [ -f "$debian" ] && [ -z "$(changeable "$debian")" ] &&
    echo 'SELECT 1;' | ask 6 --defaults-file="$debian" >/dev/null 2>&1; then
    way=debian
    set -- --defaults-file="$debian"
  fi
fi`

/** Returns sh that asks the database server of a host what it is, as its client logs in. It reads and never writes. */
export const databaseScript = (mark: string): string => `
${databaseLogin}
[ "$way" != debian ] || say way "$debian"
if [ -z "$client" ]; then say client no
elif [ -z "$way" ]; then say refused "$(printf %s "$failure" | head -c 2000 | base64 -w0)"
else say answers "$(echo ${quote(statements(mark))} | ask 20 "$@" 2>/dev/null | head -c ${maxAnswer} | base64 -w0)"
fi`
