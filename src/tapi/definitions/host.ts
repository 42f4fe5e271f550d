import type { Command } from 'commander'
import { showVersion } from '../../cli/cliCommand.ts'
import type { Runner } from '../runner.ts'
import { groups } from './groups.ts'

/** What tells of a component as a whole. */
export function hostCommands(program: Command, { read, readHost }: Runner): void {
  program
    .command('status')
    .helpGroup(groups.host)
    .description('show the status of every component of the host')
    .action((_options, command: Command) =>
      readHost(command, async (calls) => (await import('../overview.ts')).overview(calls)),
    )
  program
    .command('postman')
    .helpGroup(groups.host)
    .description('print a Postman collection of all calls of the host; no login required')
    .action((_options, command: Command) =>
      readHost(command, async (calls) => (await import('../postman.ts')).postman(calls)),
    )
  program
    .command('ping')
    .helpGroup(groups.any)
    .description('check that the API answers; no login required')
    .action((_options, command: Command) =>
      read(command, async (call) => (await import('../ping.ts')).pingCommand(call)),
    )
  program
    .command('health')
    .helpGroup(groups.any)
    .description('check that the component is ready; with a login, show why it is not')
    .action((_options, command: Command) =>
      read(command, async (call) => (await import('../about.ts')).healthCommand(call)),
    )
  program
    .command('version')
    .helpGroup(groups.any)
    .description('show the version of the component; without --host that of tapi itself')
    .action((_options, command: Command) =>
      command.optsWithGlobals<{ host?: string }>().host === undefined
        ? showVersion(command)
        : read(command, async (call) => (await import('../about.ts')).versionCommand(call)),
    )
  program
    .command('uris')
    .helpGroup(groups.any)
    .description('list the calls of the component')
    .action((_options, command: Command) =>
      read(command, async (call) => (await import('../about.ts')).urisCommand(call)),
    )
}
