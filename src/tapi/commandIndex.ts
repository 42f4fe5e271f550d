import type { CliCommand } from '../cli/cliCommand.ts'
import type { Example } from '../cli/help/helpText.ts'
import type { Runner } from './call/runner.ts'

/** Headings below which --help lists the commands. */
export const groups = {
  host: 'The host',
  manager: 'The manager',
  connector: 'The connector',
  replicator: 'The replicator',
  map: 'The services map of manager or connector',
  users: 'Users of the host',
  any: 'Any component',
  tapi: 'tapi itself',
} as const

/** Command as `tapi --help` lists it, and the function that adds its options, arguments, subcommands and actions. */
type CommandEntry = {
  readonly name: string
  readonly group: string
  readonly description: string
  readonly examples: readonly Example[]
  readonly load: () => Promise<(command: CliCommand, runner: Runner) => void>
}

/**
 * Commands of tapi in the order of --help. A command's file is loaded only when the command is used: `tapi --help`
 * and each command start without the code of the others.
 */
export const commandIndex: readonly CommandEntry[] = [
  {
    name: 'status',
    group: groups.host,
    description: 'show the status of every component of the host, or with --all of the cluster',
    examples: [
      ['Show all components of a host', 'tapi --host db1 --user admin status'],
      ['Show all hosts of the cluster', 'tapi --all --user admin status'],
    ],
    load: async () => (await import('./statusCommand.ts')).defineStatus,
  },
  {
    name: 'postman',
    group: groups.host,
    description: 'print a Postman collection of all calls of the host; no login required',
    examples: [
      ['Write the collection into a file', 'tapi --host db1 postman > muster.postman_collection.json'],
      [
        'Write one without a record of muster, with the authority of the cluster',
        'tapi --host 10.0.0.1 --ca authority.crt postman',
      ],
    ],
    load: async () => (await import('./postmanCommand.ts')).definePostman,
  },
  {
    name: 'ping',
    group: groups.any,
    description: 'check that the API answers; no login required',
    examples: [
      ['Ask the first component of a host', 'tapi --host db1 ping'],
      ['Ask its connector', 'tapi --host db1 --component connector ping'],
    ],
    load: async () => (await import('./aboutCommands.ts')).definePing,
  },
  {
    name: 'health',
    group: groups.any,
    description: 'check that the component is ready; with a login, show why it is not',
    examples: [
      ['Ask if a component is ready', 'tapi --host db1 health'],
      ['Show the reasons where it is not', 'tapi --host db1 --component connector --user admin health'],
    ],
    load: async () => (await import('./aboutCommands.ts')).defineHealth,
  },
  {
    name: 'version',
    group: groups.any,
    description: 'show the version of the component; without --host that of tapi itself',
    examples: [
      ['Show the version of a component', 'tapi --host db1 version'],
      ['Show the version of tapi itself', 'tapi version'],
    ],
    load: async () => (await import('./aboutCommands.ts')).defineVersion,
  },
  {
    name: 'uris',
    group: groups.any,
    description: 'list the calls of the component',
    examples: [
      ['List the calls of the manager', 'tapi --host db1 --user admin uris'],
      ['List those of the connector', 'tapi --host db1 --component connector --user admin uris'],
    ],
    load: async () => (await import('./aboutCommands.ts')).defineUris,
  },
  {
    name: 'topology',
    group: groups.manager,
    description: 'list services, data sources and the connector, or with --all the connectors of all hosts',
    examples: [
      ['Show data sources and connector of a host', 'tapi --host db1 --user admin topology'],
      ['Show the connectors of all hosts, too', 'tapi --all --user admin topology'],
    ],
    load: async () => (await import('./topologyCommand.ts')).defineTopology,
  },
  {
    name: 'service',
    group: groups.manager,
    description: 'show and change a service, as seen by the manager of the host',
    examples: [
      ['Show a service', 'tapi --host db1 --user admin service status'],
      ['Take all its data sources offline', 'tapi --host db1 --user admin service offline europe'],
    ],
    load: async () => (await import('./serviceCommand.ts')).defineService,
  },
  {
    name: 'datasource',
    group: groups.manager,
    description: 'show and change a data source, as seen by the manager of the host',
    examples: [
      ['Show all data sources', 'tapi --host db1 --user admin datasource status'],
      ['Keep one out until it is welcomed back', 'tapi --host db1 --user admin datasource shun db3'],
    ],
    load: async () => (await import('./datasourceCommand.ts')).defineDatasource,
  },
  {
    name: 'events',
    group: groups.manager,
    description: 'show each change that the manager sees, until Ctrl-C; times are in UTC',
    examples: [
      ['Follow the manager of a host', 'tapi --host db1 --user admin events'],
      ['Follow all managers, one JSON event per line', 'tapi --all --user admin events --json'],
    ],
    load: async () => (await import('./eventsCommand.ts')).defineEvents,
  },
  {
    name: 'switch',
    group: groups.manager,
    description: 'make another data source the primary, while clients wait',
    examples: [
      [
        'Make the best replica the primary, and wait for the end',
        'tapi --host db1 --user admin switch --wait',
      ],
      ['Make db2 the primary of a service', 'tapi --host db1 --user admin switch europe --to db2'],
    ],
    load: async () => (await import('./switchCommand.ts')).defineSwitch,
  },
  {
    name: 'failover',
    group: groups.manager,
    description: 'make a survivor the primary in place of one that is lost',
    examples: [
      ['Show what would be done and what may be lost', 'tapi --host db2 --user admin failover --dry-run'],
      ['Replace the lost primary, and wait for the end', 'tapi --host db2 --user admin failover --wait'],
    ],
    load: async () => (await import('./switchCommand.ts')).defineFailover,
  },
  {
    name: 'task',
    group: groups.manager,
    description: 'show how far a switch is; exit code 1 if it failed',
    examples: [
      ['Show how far a switch is', 'tapi --host db1 --user admin task 7f3a'],
      ['Show it as JSON', 'tapi --host db1 --user admin --json task 7f3a'],
    ],
    load: async () => (await import('./switchCommand.ts')).defineTask,
  },
  {
    name: 'policy',
    group: groups.manager,
    description: 'show or set the policy of the manager',
    examples: [
      ['Show the policy', 'tapi --host db1 --user admin policy'],
      [
        'Let the manager change nothing on all hosts, for maintenance',
        'tapi --all --user admin policy maintenance',
      ],
    ],
    load: async () => (await import('./policyCommand.ts')).definePolicy,
  },
  {
    name: 'connector',
    group: groups.connector,
    description: 'show and change the state of the connector',
    examples: [
      ['Show the state of the connector', 'tapi --host db1 --user admin connector status'],
      ['Hold new connections', 'tapi --host db1 --user admin connector onhold'],
    ],
    load: async () => (await import('./connectorCommand.ts')).defineConnector,
  },
  {
    name: 'replicator',
    group: groups.replicator,
    description: 'show and change the replication of the host',
    examples: [
      ['Show how far the replication is', 'tapi --host db2 --user admin replicator status'],
      ['Stop the replication of a host', 'tapi --host db2 --user admin replicator offline'],
    ],
    load: async () => (await import('./replicatorCommand.ts')).defineReplicator,
  },
  {
    name: 'map',
    group: groups.map,
    description: 'show and change the services map of the manager, or with --component of the connector',
    examples: [
      ['Show the map of the manager', 'tapi --host db1 --user admin map show'],
      ['Show that of the connector', 'tapi --host db1 --component connector --user admin map show'],
    ],
    load: async () => (await import('./mapCommand.ts')).defineMap,
  },
  {
    name: 'users',
    group: groups.users,
    description: 'list the users of the host',
    examples: [
      ['List the users of a host', 'tapi --host db1 --user admin users'],
      ['List them as JSON', 'tapi --host db1 --user admin --json users'],
    ],
    load: async () => (await import('./userCommands.ts')).defineUsers,
  },
  {
    name: 'user',
    group: groups.users,
    description: 'show a user of the host',
    examples: [
      ['Show a user', 'tapi --host db1 --user admin user grafana'],
      ['Show it as JSON', 'tapi --host db1 --user admin --json user grafana'],
    ],
    load: async () => (await import('./userCommands.ts')).defineUser,
  },
  {
    name: 'create-admin-user',
    group: groups.users,
    description: 'create a user on the host, or change the password of one',
    examples: [
      [
        'Create the first user of a host, with a prompt for the password',
        'tapi --host db1 --user admin create-admin-user',
      ],
      [
        'Create another user, whose password is in a file',
        'tapi --host db1 --user admin create-admin-user grafana --new-password-file password',
      ],
    ],
    load: async () => (await import('./createAdminUserCommand.ts')).defineCreateAdminUser,
  },
  {
    name: 'unlock',
    group: groups.users,
    description: 'unlock a user after failed logins',
    examples: [
      ['Unlock a user on one host', 'tapi --host db1 --user admin unlock grafana'],
      ['Unlock it on all hosts', 'tapi --all --user admin unlock grafana'],
    ],
    load: async () => (await import('./userCommands.ts')).defineUnlock,
  },
  {
    name: 'delete-user',
    group: groups.users,
    description: 'delete a user of the host',
    examples: [
      ['Delete a user, after a question', 'tapi --host db1 --user admin delete-user grafana'],
      ['Delete it without a question', 'tapi --host db1 --user admin delete-user grafana --i-am-sure'],
    ],
    load: async () => (await import('./userCommands.ts')).defineDeleteUser,
  },
  {
    name: 'get',
    group: groups.any,
    description: 'make any GET call of the API',
    examples: [
      [
        'Get the state of the connector',
        'tapi --host db1 --component connector --user admin get connector/status',
      ],
      ['Call a URI that needs no login', 'tapi --host db1 get ping'],
    ],
    load: async () => (await import('./anyCallCommands.ts')).defineGet,
  },
  {
    name: 'post',
    group: groups.any,
    description: 'make any POST call of the API; --i-am-sure adds i-am-sure=true',
    examples: [
      ['Reset the manager', 'tapi --host db1 --user admin post manager/reset --i-am-sure'],
      ['Send a body from a file', 'tapi --host db1 --user admin post servicemap --body @map.json'],
    ],
    load: async () => (await import('./anyCallCommands.ts')).definePost,
  },
]
