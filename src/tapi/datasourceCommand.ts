import type { Command } from 'commander'
import type { CliCommand } from '../cli/cliCommand.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { send } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import { dataSourceRoutes, managerRoutes } from '../contracts/managerRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import { type Change, type Refused, withParameter } from './call/change.ts'
import { addConfirmationOptions } from './call/confirmation.ts'
import { changeExamples, readExamples } from './call/examples.ts'
import { findService } from './call/findService.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import { object, summarizeChange } from './call/render.ts'
import { renderDatasource } from './call/renderDatasources.ts'
import type { Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'
import { serviceStatus } from './serviceCommand.ts'

const allowed = ['manager'] as const

const descriptions = {
  online: 'bring an offline data source online, if its health check succeeds',
  offline: 'take a data source offline; under AUTOMATIC it comes back by itself',
  shun: 'keep a data source out until it is welcomed back',
  welcome: 'bring a shunned data source back online, if its health check succeeds',
  recover: 'set a failed or shunned data source offline, or let a replica follow the primary again',
} as const

type DatasourceChange = keyof typeof descriptions

/** Data source on the command line; its service is looked up unless given. */
type Named = { readonly name: string; readonly service: string | undefined }

async function find(
  call: Call,
  { name, service }: Named,
): Promise<{ readonly service: string; readonly datasource: string } | Refused> {
  const found = await findService(call, { service, datasource: name })
  return 'problem' in found ? found : { ...found, datasource: name }
}

async function datasourceStatus(call: Call, named: Named): Promise<ExitCode> {
  const known = { ...call, caller: await login(call) }
  const found = await find(known, named)
  const outcome =
    'problem' in found
      ? found
      : await send(known.caller, callOf(managerRoutes.managerDatasourceStatus, found))
  return showOutcome({ call, outcome, render: renderDatasource })
}

/** Checks that the data source answers; exit code 1 if it does not. */
async function pingDatasource(call: Call, named: Named): Promise<ExitCode> {
  const known = { ...call, caller: await login(call) }
  const found = await find(known, named)
  const outcome =
    'problem' in found ? found : await send(known.caller, callOf(managerRoutes.managerPing, found))
  const answers = !('problem' in outcome) && object(readEnvelope(outcome.value)?.payload).value === true
  const render = (): string => `${named.name} ${answers ? 'answers' : 'does not answer'}\n`
  const code = showOutcome({ call, outcome, render })
  return answers ? code : exitCodes.failed
}

const questions: Readonly<Record<DatasourceChange, (name: string, where: string) => string>> = {
  online: (name, where) => `Bring ${name} online on ${where}?`,
  offline: (name, where) =>
    `Take ${name} offline on ${where}? The connector then sends it no connections. Under AUTOMATIC it comes back ` +
    'online by itself; shun keeps it out.',
  shun: (name, where) =>
    `Shun ${name} on ${where}? The connector sends it no connections until it is welcomed back.`,
  welcome: (name, where) => `Bring ${name} back online on ${where}?`,
  recover: (name, where) =>
    `Recover ${name} to OFFLINE on ${where}? Under AUTOMATIC it then comes online by itself.`,
}

/** Returns a note if the policy will bring the data source back online. */
async function noteAutomaticReturn(call: Call, body: unknown): Promise<string | undefined> {
  const { name, service } = object(readEnvelope(body)?.payload)
  if (typeof service !== 'string') return undefined
  const outcome = await send(call.caller, callOf(managerRoutes.managerServiceStatus, { service }))
  if ('problem' in outcome) return undefined
  if (object(readEnvelope(outcome.value)?.payload).policy !== 'AUTOMATIC') return undefined
  return `the policy is AUTOMATIC: ${name} comes back by itself. \`tapi datasource shun ${name}\` keeps it out.`
}

/** Returns the call that re-points a server that follows the wrong source, where the manager offers it. */
const repoint: Change['further'] = ({ code, errors }, request) =>
  code === 'wrong-state' && errors.some((error) => error.path === '?repoint')
    ? withParameter(request, 'repoint', 'yes')
    : undefined

const changeDatasource = (change: DatasourceChange, named: Named): Change => ({
  command: `datasource ${change}`,
  shared: true,
  question: (where) => questions[change](named.name, where),
  request: async (call) => {
    const found = await find(call, named)
    return 'problem' in found ? found : callOf(dataSourceRoutes[change], found)
  },
  render: renderDatasource,
  summarize: summarizeChange,
  ...(change === 'offline' && { note: noteAutomaticReturn }),
  ...(change === 'recover' && { further: repoint }),
})

type ServiceOption = { readonly service?: string }

const withService = <Made extends Command>(command: Made): Made =>
  command.option('--service <service>', 'name of the service, if several have a data source of this name')

export function defineDatasource(command: CliCommand, { read, change }: Runner): void {
  command.helpCommand(false)
  withService(command.command('status'))
    .description('show a data source, or all data sources of the service')
    .examples(
      ['Show all data sources', 'tapi --host db1 --user admin datasource status'],
      ['Show one of them', 'tapi --host db1 --user admin datasource status db3'],
    )
    .argument('[name]', 'name of the data source')
    .action((name: string | undefined, { service }: ServiceOption, status: Command) =>
      read(
        status,
        (call) =>
          name === undefined ? serviceStatus(call, service) : datasourceStatus(call, { name, service }),
        allowed,
      ),
    )
  withService(command.command('ping'))
    .description('check that a data source answers; exit code 1 if it does not')
    .examples(...readExamples('datasource ping db3'))
    .argument('<name>', 'name of the data source')
    .action((name: string, { service }: ServiceOption, ping: Command) =>
      read(ping, (call) => pingDatasource(call, { name, service }), allowed),
    )
  for (const [word, description] of Object.entries(descriptions) as [DatasourceChange, string][]) {
    withService(addConfirmationOptions(command.command(word)))
      .description(description)
      .examples(...changeExamples(`datasource ${word} db3`))
      .argument('<name>', 'name of the data source')
      .action((name: string, { service }: ServiceOption, one: Command) =>
        change(one, () => changeDatasource(word, { name, service }), allowed),
      )
  }
}
