import type { Command } from 'commander'
import { UsageError } from '../../cli/usageError.ts'
import { requireConfirmation } from '../confirmation.ts'
import type { Runner } from '../runner.ts'
import { groups } from './groups.ts'

/** The manager's, where the host has one: its connector follows it. */
const among = ['manager', 'connector'] as const

const notation = 'NAME=ROLE@HOST:PORT, such as db4=replica@10.0.0.14:3306'

type AddService = { readonly datasource?: readonly string[] }

/** What reads and changes the services map. */
export function mapCommand(program: Command, { read, change }: Runner): void {
  const made = program
    .command('map')
    .helpCommand(false)
    .helpGroup(groups.map)
    .description('show and change the services map of the manager, or with --component of the connector')
  made
    .command('show')
    .description('show the map in effect')
    .action((_options, command: Command) =>
      read(command, async (call) => (await import('../map.ts')).showMap(call), among),
    )
  requireConfirmation(made.command('set'))
    .description('replace the whole map')
    .argument('<file>', 'JSON as `map show --json` prints it, its states left out; - is standard input')
    .action((file: string, _options, command: Command) =>
      change(
        command,
        async ({ context, passwordStdin }) => {
          if (file === '-' && passwordStdin) {
            throw new UsageError(
              'The map and --password-stdin cannot both read standard input.',
              'Use a file for the map, or --password-file for the password.',
            )
          }
          const { readMap } = await import('../map.ts')
          return (await import('../map.ts')).setMap(await readMap(context, file))
        },
        among,
      ),
    )
  requireConfirmation(made.command('add-service'))
    .description('add a service')
    .argument('<name>', 'name of the service')
    .option(
      '--datasource <datasource>',
      `data source of the service, ${notation}; may be repeated`,
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .action((name: string, { datasource = [] }: AddService, command: Command) =>
      change(
        command,
        async () => {
          const { readDataSource } = await import('../datasource.ts')
          return (await import('../map.ts')).addService(name, datasource.map(readDataSource))
        },
        among,
      ),
    )
  requireConfirmation(made.command('add-datasource'))
    .description('add a data source to a service')
    .argument('<datasource>', notation)
    .option('--service <service>', 'name of the service, if there are several')
    .action((written: string, { service }: { readonly service?: string }, command: Command) =>
      change(
        command,
        async () => {
          const { readDataSource } = await import('../datasource.ts')
          return (await import('../map.ts')).addDatasource(readDataSource(written), service)
        },
        among,
      ),
    )
  requireConfirmation(made.command('reset'))
    .description('reset the map to the installed one')
    .action((_options, command: Command) =>
      change(command, async () => (await import('../map.ts')).resetMap, among),
    )
}
