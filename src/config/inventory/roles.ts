/** Role of a host in a service, as groups name it. */
export type Role = 'member' | 'primary' | 'manager' | 'replicator' | 'connector' | 'witness'

const words: Readonly<Record<Role, readonly string[]>> = {
  member: [
    ...['database', 'databases', 'db', 'dbs', 'dbserver', 'dbservers', 'member', 'members', 'datasource'],
    ...['datasources', 'mysql', 'mariadb', 'replica', 'replicas', 'slave', 'slaves', 'secondary'],
    ...['secondaries', 'mysqlservers', 'mariadbservers'],
  ],
  primary: ['primary', 'primaries', 'master', 'masters', 'writer', 'writers', 'source'],
  manager: ['manager', 'managers'],
  replicator: ['replicator', 'replicators'],
  connector: [
    ...['connector', 'connectors', 'proxy', 'proxies', 'router', 'routers', 'dbproxy', 'dbproxies'],
    ...['proxysql', 'maxscale', 'haproxy', 'mysqlrouter'],
  ],
  witness: ['witness', 'witnesses', 'arbiter', 'arbiters', 'arbitrator', 'garbd'],
}

const byWord: ReadonlyMap<string, Role> = new Map(
  Object.entries(words).flatMap(([role, names]) => names.map((name) => [name, role as Role] as const)),
)

/** Words behind a role in the names of outputs, such as `database_private_ips`. */
const endings =
  /[-_](?:private|public|internal|ip|ips|ipv4|ipv6|address|addresses|host|hosts|node|nodes|server|servers|vm|vms|instance|instances|fqdn|fqdns|hostname|hostnames)$/

/** Role that a group's name says, and whether it says nothing else. */
type NamedRole = { readonly role: Role; readonly exact: boolean }

/** Reads the role in a group's name: the name itself, or its last part, as in `prod_databases`. */
export function roleOf(group: string): NamedRole | undefined {
  // The endings are cut off one by one.
  if (group.length > 200) return undefined
  const name = group.toLowerCase()
  const whole = byWord.get(name)
  if (whole !== undefined) return { role: whole, exact: true }
  let short = name
  while (endings.test(short)) short = short.replace(endings, '')
  const role = byWord.get(short) ?? byWord.get(short.split(/[-_.]/).at(-1) ?? '')
  return role === undefined ? undefined : { role, exact: false }
}
