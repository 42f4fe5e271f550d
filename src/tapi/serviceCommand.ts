import type { Command } from 'commander'
import type { CliCommand } from '../cli/cliCommand.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { send } from '../client/calls.ts'
import { managerRoutes } from '../contracts/managerRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import type { Change } from './call/change.ts'
import { addConfirmationOptions } from './call/confirmation.ts'
import { changeExamples, readExamples } from './call/examples.ts'
import { findService } from './call/findService.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import { summarizeChange } from './call/render.ts'
import { renderService } from './call/renderDatasources.ts'
import type { Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'

const allowed = ['manager'] as const

const descriptions = {
  online: 'bring every offline data source online',
  offline: 'take every online data source offline',
} as const

type ServiceChange = keyof typeof descriptions

export async function serviceStatus(call: Call, service: string | undefined): Promise<ExitCode> {
  const known = { ...call, caller: await login(call) }
  const found = await findService(known, { service })
  const outcome =
    'problem' in found ? found : await send(known.caller, callOf(managerRoutes.managerServiceStatus, found))
  return showOutcome({ call, outcome, render: renderService })
}

const questions: Readonly<Record<ServiceChange, (what: string, where: string) => string>> = {
  online: (what, where) => `Bring every offline data source of ${what} online on ${where}?`,
  offline: (what, where) =>
    `Take every data source of ${what} offline on ${where}? Applications then cannot reach the database through ` +
    'the connector. Under AUTOMATIC they come back online by themselves.',
}

const routes = { online: managerRoutes.managerServiceOnline, offline: managerRoutes.managerServiceOffline }

const changeService = (change: ServiceChange, service: string | undefined): Change => ({
  command: `service ${change}`,
  shared: true,
  question: (where) => questions[change](service ?? 'the service', where),
  request: async (call) => {
    const found = await findService(call, { service })
    return 'problem' in found ? found : callOf(routes[change], found)
  },
  render: renderService,
  summarize: summarizeChange,
})

export function defineService(command: CliCommand, { read, change }: Runner): void {
  const serviceWord = 'name of the service (default: the only one)'
  command.helpCommand(false)
  command
    .command('status')
    .description('show a service and its data sources')
    .examples(...readExamples('service status'))
    .argument('[service]', serviceWord)
    .action((service: string | undefined, _options, status: Command) =>
      read(status, (call) => serviceStatus(call, service), allowed),
    )
  for (const [word, description] of Object.entries(descriptions) as [ServiceChange, string][]) {
    addConfirmationOptions(command.command(word))
      .description(description)
      .examples(...changeExamples(`service ${word}`))
      .argument('[service]', serviceWord)
      .action((service: string | undefined, _options, one: Command) =>
        change(one, () => changeService(word, service), allowed),
      )
  }
}
