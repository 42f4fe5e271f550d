/** A host to write down. */
export type StartingHost = { readonly name: string; readonly address: string }

/** What a starting file says. */
export type StartingFile = {
  readonly cluster: string
  readonly hosts: readonly StartingHost[]
  /** User to log in as. */
  readonly user: string
  /** The user becomes root by sudo. */
  readonly become: boolean
  /** Kind of the database servers on the hosts; absent: none. */
  readonly databases?: 'mariadb' | 'mysql'
}

/** What the example says. */
const example: StartingFile = {
  cluster: 'alpha',
  hosts: [1, 2, 3].map((number) => ({ name: `db${number}`, address: `10.0.0.1${number}` })),
  user: 'ops',
  become: true,
}

/** Commented example of every group of a configuration; it validates as it is. */
export const exampleFile = (): string => {
  const comment = '# Every host, by name.'
  const more = `    # Settings of this host only:
    # ssh: { port: 2222 }
    # options: { manager-rest-api-port: 18090 }
`
  return `${startingFile(example).replace(comment, `${comment} Replace these with yours.`)}${more}`
}

/** Writes a commented file for the three APIs on this machine alone, as examples/quickstart.yaml has them. */
export const localFile = (cluster: string): string => `# yaml-language-server: $schema=./muster.schema.json
# The three APIs on this machine: no root, no SSH, no database.

# The name of the cluster.
cluster: ${scalar(cluster)}

defaults:
  # The administrator of the three APIs. No password is set, so muster generates one, keeps it in .muster/
  # next to this file and shows it once.
  rest-api-admin-user: admin
  # Relative to this file; possible only with "connection: local".
  install-directory: ${scalar(cluster)}
  # Run as detached processes of your user, not as systemd services.
  service-manager: process

services:
  ${scalar(cluster)}:
    topology: clustered
    master: localhost
    # Members run manager and replicator, connectors run the connector.
    members: [localhost]
    connectors: [localhost]

hosts:
  localhost:
    address: 127.0.0.1
    # This machine, without SSH.
    connection: local
`

/** Words that YAML, or an older version of it, does not take for text. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/i

/** Writes a text as it stands where YAML takes it for one, else as JSON. */
const scalar = (text: string): string =>
  /^[A-Za-z][A-Za-z0-9._-]*$/.test(text) && !reserved.test(text) ? text : JSON.stringify(text)

const address = (text: string): string => (/^\d+(\.\d+){3}$/.test(text) ? text : scalar(text))

/** Writes a commented file. Whether its values are valid is for the rules of the configuration to say. */
export function startingFile({ cluster, hosts, user, become, databases }: StartingFile): string {
  const names = hosts.map(({ name }) => scalar(name)).join(', ')
  return `# yaml-language-server: $schema=./muster.schema.json
# One file describes the whole installation. Check it with: muster validate

# The name of the cluster. It becomes part of service and file names on the hosts.
cluster: ${scalar(cluster)}

# Options for every host. A service or a host can have its own, under "options:"; the most specific one applies.
defaults:
  # The administrator of every API. Without a password, muster generates one, keeps it in .muster/ beside
  # this file and shows it once. To set your own, read it from elsewhere instead of writing it here:
  #   rest-api-admin-pass: !env ADMIN_PASS          an environment variable
  #   rest-api-admin-pass: !file admin-password     a file, relative to this one
  #   rest-api-admin-pass: !exec [pass, muster]     a program and its arguments
  # An editor accepts these tags with: yaml.customTags: ["!env scalar", "!file scalar", "!exec sequence"]
  rest-api-admin-user: admin

  # All interfaces of the host. Without these lines each API listens on 127.0.0.1 only.
  manager-rest-api-address: 0.0.0.0
  connector-rest-api-address: 0.0.0.0
  replicator-rest-api-address: 0.0.0.0
${databases === undefined ? '' : databaseLines(databases)}
  # Other ports, if the defaults are in use:
  # manager-rest-api-port: 8090
  # connector-rest-api-port: 8096
  # replicator-rest-api-port: 8097

  # muster generates a certificate for each host. To use your own, set both stores and their passwords:
  # java-tls-keystore-path: tls/keystore.p12
  # java-keystore-password: !env KEYSTORE_PASS
  # java-truststore-path: tls/truststore.p12
  # java-truststore-password: !env TRUSTSTORE_PASS

# How to reach the hosts over SSH.
ssh:
  user: ${scalar(user)}
${become ? '  # The login user is not root: run everything through sudo.\n  become: true\n' : ''}  # identity: ~/.ssh/id_ed25519

# Roles of the hosts. Members of a clustered service run manager and replicator, connectors run the connector;
# members of a service with "topology: replicator" run only the replicator.
services:
  ${scalar(cluster)}:
    topology: clustered
    master: ${scalar(hosts[0]?.name ?? '')}
    members: [${names}]
    connectors: [${names}]

# Every host, by name.
hosts:
${hosts.map((host) => `  ${scalar(host.name)}:\n    address: ${address(host.address)}\n`).join('')}`
}

const databaseLines = (type: string): string => `
  # Every member has its own database server, here on the default port. muster has no rights in the databases:
  # create both accounts yourself. \`muster explain monitor-user\` prints the SQL.
  datasource-type: ${type}
  # The replicator starts, stops and resets replication with this account.
  replication-user: muster
  replication-password: !env REPLICATION_PASSWORD
  # The managers check the databases with this account; it cannot read data.
  monitor-user: muster_monitor
  monitor-password: !env MONITOR_PASSWORD
  # Clients connect here; the connector forwards them to the primary, or to the replicas.
  application-address: 0.0.0.0
  application-port: 9999
  application-readonly-port: 9998
`
