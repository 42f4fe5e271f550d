import type { Command } from 'commander'
import type { Runner } from './call/runner.ts'

/** Headings below which --help lists the commands. */
export const groups = {
  host: 'The host:',
  manager: 'The manager:',
  connector: 'The connector:',
  replicator: 'The replicator:',
  map: 'The services map of manager or connector:',
  users: 'Users of the host:',
  any: 'Any component:',
  tapi: 'tapi itself:',
} as const

/** Command as `tapi --help` lists it, and the function that adds its options, arguments, subcommands and actions. */
export type CommandEntry = {
  readonly name: string
  /** Options and arguments as commander derives them from the loaded definition; absent if there are none. */
  readonly usage?: string
  readonly group: string
  readonly description: string
  readonly load: () => Promise<(command: Command, runner: Runner) => void>
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
    load: async () => (await import('./statusCommand.ts')).defineStatus,
  },
  {
    name: 'postman',
    group: groups.host,
    description: 'print a Postman collection of all calls of the host; no login required',
    load: async () => (await import('./postmanCommand.ts')).definePostman,
  },
  {
    name: 'ping',
    group: groups.any,
    description: 'check that the API answers; no login required',
    load: async () => (await import('./aboutCommands.ts')).definePing,
  },
  {
    name: 'health',
    group: groups.any,
    description: 'check that the component is ready; with a login, show why it is not',
    load: async () => (await import('./aboutCommands.ts')).defineHealth,
  },
  {
    name: 'version',
    group: groups.any,
    description: 'show the version of the component; without --host that of tapi itself',
    load: async () => (await import('./aboutCommands.ts')).defineVersion,
  },
  {
    name: 'uris',
    group: groups.any,
    description: 'list the calls of the component',
    load: async () => (await import('./aboutCommands.ts')).defineUris,
  },
  {
    name: 'topology',
    usage: '[options]',
    group: groups.manager,
    description: 'list services, data sources and the connector, or with --all the connectors of all hosts',
    load: async () => (await import('./topologyCommand.ts')).defineTopology,
  },
  {
    name: 'service',
    group: groups.manager,
    description: 'show and change a service, as seen by the manager of the host',
    load: async () => (await import('./serviceCommand.ts')).defineService,
  },
  {
    name: 'datasource',
    group: groups.manager,
    description: 'show and change a data source, as seen by the manager of the host',
    load: async () => (await import('./datasourceCommand.ts')).defineDatasource,
  },
  {
    name: 'events',
    group: groups.manager,
    description: 'show each change that the manager sees, until Ctrl-C; times are in UTC',
    load: async () => (await import('./eventsCommand.ts')).defineEvents,
  },
  {
    name: 'switch',
    usage: '[options] [service]',
    group: groups.manager,
    description: 'make another data source the primary, while clients wait',
    load: async () => (await import('./switchCommand.ts')).defineSwitch,
  },
  {
    name: 'task',
    usage: '<id>',
    group: groups.manager,
    description: 'show how far a switch is; exit code 1 if it failed',
    load: async () => (await import('./switchCommand.ts')).defineTask,
  },
  {
    name: 'policy',
    usage: '[options] [policy]',
    group: groups.manager,
    description: 'show or set the policy of the manager',
    load: async () => (await import('./policyCommand.ts')).definePolicy,
  },
  {
    name: 'connector',
    group: groups.connector,
    description: 'show and change the state of the connector',
    load: async () => (await import('./connectorCommand.ts')).defineConnector,
  },
  {
    name: 'replicator',
    group: groups.replicator,
    description: 'show and change the replication of the host',
    load: async () => (await import('./replicatorCommand.ts')).defineReplicator,
  },
  {
    name: 'map',
    group: groups.map,
    description: 'show and change the services map of the manager, or with --component of the connector',
    load: async () => (await import('./mapCommand.ts')).defineMap,
  },
  {
    name: 'users',
    group: groups.users,
    description: 'list the users of the host',
    load: async () => (await import('./userCommands.ts')).defineUsers,
  },
  {
    name: 'user',
    usage: '<name>',
    group: groups.users,
    description: 'show a user of the host',
    load: async () => (await import('./userCommands.ts')).defineUser,
  },
  {
    name: 'create-admin-user',
    usage: '[options] [name]',
    group: groups.users,
    description: 'create a user on the host, or change the password of one',
    load: async () => (await import('./createAdminUserCommand.ts')).defineCreateAdminUser,
  },
  {
    name: 'unlock',
    usage: '[options] <name>',
    group: groups.users,
    description: 'unlock a user after failed logins',
    load: async () => (await import('./userCommands.ts')).defineUnlock,
  },
  {
    name: 'delete-user',
    usage: '[options] <name>',
    group: groups.users,
    description: 'delete a user of the host',
    load: async () => (await import('./userCommands.ts')).defineDeleteUser,
  },
  {
    name: 'get',
    usage: '<path>',
    group: groups.any,
    description: 'make any GET call of the API',
    load: async () => (await import('./anyCallCommands.ts')).defineGet,
  },
  {
    name: 'post',
    usage: '[options] <path>',
    group: groups.any,
    description: 'make any POST call of the API; --i-am-sure adds i-am-sure=true',
    load: async () => (await import('./anyCallCommands.ts')).definePost,
  },
]
