import { Argument, type Command } from 'commander'
import { requireConfirmation } from '../confirmation.ts'
import type { DatasourceChange } from '../datasource.ts'
import type { PolicyWord } from '../policy.ts'
import type { Runner } from '../runner.ts'
import type { ServiceChange } from '../service.ts'
import { groups } from './groups.ts'

const among = ['manager'] as const

const serviceWord = 'name of the service (default: the only one)'

type ServiceOption = { readonly service?: string }

const withService = (command: Command): Command =>
  command.option('--service <service>', 'name of the service, if several have such a data source')

const serviceDescriptions: Readonly<Record<ServiceChange, string>> = {
  online: 'bring every offline data source online',
  offline: 'take every online data source offline',
}

const datasourceDescriptions: Readonly<Record<DatasourceChange, string>> = {
  online: 'bring an offline data source online, if its health check succeeds',
  offline: 'take a data source offline; under AUTOMATIC it comes back by itself',
  shun: 'keep a data source out until it is welcomed back',
  welcome: 'bring a shunned data source back online, if its health check succeeds',
  recover: 'set a failed or shunned data source offline; under AUTOMATIC it then comes online',
}

const entries = <Word extends string>(table: Readonly<Record<Word, string>>) =>
  Object.entries(table) as [Word, string][]

function serviceCommand(made: Command, { read, change }: Runner): void {
  made.helpGroup(groups.manager).description('show and change a service, as seen by the manager of the host')
  made
    .command('status')
    .description('show a service and its data sources')
    .argument('[service]', serviceWord)
    .action((service: string | undefined, _options, command: Command) =>
      read(command, async (call) => (await import('../service.ts')).serviceStatus(call, service), among),
    )
  for (const [word, description] of entries(serviceDescriptions)) {
    requireConfirmation(made.command(word))
      .description(description)
      .argument('[service]', serviceWord)
      .action((service: string | undefined, _options, command: Command) =>
        change(command, async () => (await import('../service.ts')).changeService(word, service), among),
      )
  }
}

function datasourceCommand(made: Command, { read, change }: Runner): void {
  made
    .helpGroup(groups.manager)
    .description('show and change a data source, as seen by the manager of the host')
  withService(made.command('status'))
    .description('show a data source, or all data sources of the service')
    .argument('[name]', 'name of the data source')
    .action((name: string | undefined, { service }: ServiceOption, command: Command) =>
      read(
        command,
        async (call) => {
          if (name === undefined) return (await import('../service.ts')).serviceStatus(call, service)
          return (await import('../datasource.ts')).datasourceStatus(call, { name, service })
        },
        among,
      ),
    )
  withService(made.command('ping'))
    .description('check that a data source answers; exit code 1 if it does not')
    .argument('<name>', 'name of the data source')
    .action((name: string, { service }: ServiceOption, command: Command) =>
      read(
        command,
        async (call) => (await import('../datasource.ts')).pingDatasource(call, { name, service }),
        among,
      ),
    )
  for (const [word, description] of entries(datasourceDescriptions)) {
    withService(requireConfirmation(made.command(word)))
      .description(description)
      .argument('<name>', 'name of the data source')
      .action((name: string, { service }: ServiceOption, command: Command) =>
        change(
          command,
          async () => (await import('../datasource.ts')).changeDatasource(word, { name, service }),
          among,
        ),
      )
  }
}

const policies: readonly PolicyWord[] = ['automatic', 'manual', 'maintenance']

/** What reads and changes services and data sources. */
export function managerCommands(program: Command, runner: Runner): void {
  const { read, change } = runner
  program
    .command('topology')
    .helpGroup(groups.manager)
    .description('list services, data sources and the connector')
    .option('--no-routers', 'do not list the connector')
    .action(({ routers }: { readonly routers: boolean }, command: Command) =>
      read(command, async (call) => (await import('../topology.ts')).topology(call, routers), among),
    )
  serviceCommand(program.command('service').helpCommand(false), runner)
  datasourceCommand(program.command('datasource').helpCommand(false), runner)
  requireConfirmation(program.command('policy'))
    .helpGroup(groups.manager)
    .description('show or set the policy of the manager')
    .addArgument(
      new Argument('[policy]', 'policy to set; without it, show the current one').choices(policies),
    )
    .option('--service <service>', 'name of the service, if there are several')
    .action((policy: PolicyWord | undefined, { service }: ServiceOption, command: Command) =>
      policy === undefined
        ? read(command, async (call) => (await import('../policy.ts')).showPolicy(call, service), among)
        : change(command, async () => (await import('../policy.ts')).changePolicy(policy, service), among),
    )
}
