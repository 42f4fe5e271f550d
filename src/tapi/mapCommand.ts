import { resolve } from 'node:path'
import type { Command } from 'commander'
import { isObject, parseJson } from '../base/json.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { readInputFile } from '../cli/readInputFile.ts'
import { readAllInput } from '../cli/terminalInput.ts'
import { UsageError } from '../cli/usageError.ts'
import { send } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import { callOf } from '../contracts/routeCall.ts'
import {
  type DataSourceRole,
  dataSourceRoles,
  type MapDataSource,
  type ServicesMap,
} from '../contracts/servicesMap.ts'
import type { Change } from './call/change.ts'
import { addConfirmationOptions } from './call/confirmation.ts'
import { changeExamples, readExamples } from './call/examples.ts'
import { findService, mapRoutesOf } from './call/findService.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import {
  address,
  cell,
  type Fields,
  object,
  objects,
  renderBody,
  renderTable,
  summarizeChange,
} from './call/render.ts'
import type { ChangeContext, Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'

/** Default port of MySQL and MariaDB. */
const defaultPort = 3306

const isRole = (word: string): word is DataSourceRole => (dataSourceRoles as readonly string[]).includes(word)

/** Parses `NAME=ROLE@HOST` or `NAME=ROLE@HOST:PORT`, an IPv6 address in brackets. Throws a `UsageError`. */
export function readDataSource(written: string): MapDataSource {
  const [, name = '', role = '', bracketed, plain = '', port] =
    /^([^=]+)=([^@]+)@(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(written) ?? []
  const number = port === undefined ? defaultPort : Number(port)
  if (name === '' || number < 1 || number > 65535) {
    throw new UsageError(
      `${JSON.stringify(written)} is not a data source.`,
      'Write it as NAME=ROLE@HOST:PORT, for example db4=replica@10.0.0.14:3306.',
    )
  }
  if (!isRole(role)) {
    throw new UsageError(
      `${JSON.stringify(role)} is not a role of a data source.`,
      `Use one of ${dataSourceRoles.join(', ')}.`,
    )
  }
  return { name, host: bracketed ?? plain, port: number, role }
}

/** Removes the states that `tapi map show --json` prints: the API rejects a map that contains them. */
function withoutStates(service: unknown): unknown {
  if (!isObject(service) || !Array.isArray(service.datasources)) return service
  const datasources = service.datasources.map((it) => {
    if (!isObject(it)) return it
    const { state: _state, ...source } = it
    return source
  })
  return { ...service, datasources }
}

/**
 * Reads the services of a map from a file, or from standard input for `-`: the output of `tapi map show
 * --json`, or only its payload. The API validates the map. Throws a `UsageError`.
 */
async function readMap(
  { context, passwordStdin }: ChangeContext,
  file: string,
): Promise<ServicesMap['services']> {
  if (file === '-' && passwordStdin) {
    throw new UsageError(
      'The map and --password-stdin cannot both read standard input.',
      'Use a file for the map, or --password-file for the password.',
    )
  }
  const path = resolve(context.cwd, file)
  const text =
    file === '-'
      ? await readAllInput(context)
      : (await readInputFile({ path, what: 'The map', pipe: context.signal })).text
  const body = parseJson(text)
  const payload = readEnvelope(body)?.payload ?? body
  if (isObject(payload) && Array.isArray(payload.services)) {
    // The API checks them.
    return payload.services.map(withoutStates) as ServicesMap['services']
  }
  throw new UsageError(
    `${file === '-' ? 'Standard input' : path} contains no services map.`,
    'Use JSON as `tapi map show --json` prints it: {"services":[{"name":…,"datasources":[…]}]}.',
  )
}

const headline = ['service', 'data source', 'role', 'state', 'address']

function rows(service: Fields): readonly (readonly string[])[] {
  const sources = objects(service.datasources)
  if (sources.length === 0) return [[cell(service.name), '-', '-', '-', '-']]
  return sources.map((it) => [cell(service.name), cell(it.name), cell(it.role), cell(it.state), address(it)])
}

/** Returns the services in a payload of a map, a service or a data source. */
function servicesOf(payload: Fields): readonly Fields[] | undefined {
  if (Array.isArray(payload.services)) return objects(payload.services)
  if (Array.isArray(payload.datasources)) return [payload]
  return typeof payload.service === 'string' ? [{ name: payload.service, datasources: [payload] }] : undefined
}

/** Renders a ServicesMapPayload, DataServicePayload or DataSourcePayload; ends with a newline. */
export function renderMap(body: unknown, columns?: number): string {
  const payload = object(readEnvelope(body)?.payload)
  const services = servicesOf(payload)
  if (services === undefined) return renderBody(body)
  const table =
    services.length === 0 ? 'no services\n' : renderTable(headline, services.flatMap(rows), columns)
  if (typeof payload.changed !== 'boolean') return table
  return `${table}${payload.changed ? 'changed' : 'unchanged'}\n`
}

const shown = { render: renderMap, summarize: summarizeChange, shared: true } as const

async function showMap(call: Call): Promise<ExitCode> {
  const outcome = await send(await login(call), callOf(mapRoutesOf(call).servicesMap))
  return showOutcome({ call, outcome, render: renderMap })
}

const setMap = (services: ServicesMap['services']): Change => ({
  ...shown,
  command: 'map set',
  question: (where) => `Replace the whole services map of ${where}?`,
  request: async (call) => callOf(mapRoutesOf(call).changeServicesMap, {}, { payload: { services } }),
})

const addService = (name: string, datasources: readonly MapDataSource[]): Change => ({
  ...shown,
  command: 'map add-service',
  question: (where) => `Add the service ${name} to the services map of ${where}?`,
  request: async (call) => {
    const payload = { name, ...(datasources.length > 0 && { datasources }) }
    return callOf(mapRoutesOf(call).addDataService, {}, { payload })
  },
})

const addDatasource = (source: MapDataSource, service: string | undefined): Change => ({
  ...shown,
  command: 'map add-datasource',
  question: (where) =>
    `Add the data source ${source.name} (${source.role} at ${source.host} port ${source.port}) to the services map of ${where}?`,
  request: async (call) => {
    const found = await findService(call, { service })
    if ('problem' in found) return found
    return callOf(mapRoutesOf(call).addDataSource, {}, { payload: { ...found, ...source } })
  },
})

const resetMap: Change = {
  ...shown,
  command: 'map reset',
  question: (where) =>
    `Reset the services map of ${where} to the installed one? Changes made by calls are discarded.`,
  request: async (call) => callOf(mapRoutesOf(call).reset),
}

/** The manager comes first: a connector that follows one passes the call on. */
const allowed = ['manager', 'connector'] as const

const notation = 'NAME=ROLE@HOST:PORT, such as db4=replica@10.0.0.14:3306'

export function defineMap(command: CliCommand, { read, change }: Runner): void {
  command.helpCommand(false)
  command
    .command('show')
    .description('show the map in effect')
    .examples(...readExamples('map show'))
    .action((_options, show: Command) => read(show, showMap, allowed))
  addConfirmationOptions(command.command('set'))
    .description('replace the whole map')
    .examples(...changeExamples('map set map.json'))
    .argument('<file>', 'JSON as `map show --json` prints it, states are ignored; - is standard input')
    .action((file: string, _options, set: Command) =>
      change(set, async (changeContext) => setMap(await readMap(changeContext, file)), allowed),
    )
  addConfirmationOptions(command.command('add-service'))
    .description('add a service')
    .examples(
      ['Add a service without data sources', 'tapi --host db1 --user admin map add-service asia'],
      [
        'Add one with its primary',
        'tapi --host db1 --user admin map add-service asia --datasource db7=primary@10.0.0.17:3306',
      ],
    )
    .argument('<name>', 'name of the service')
    .option(
      '--datasource <datasource>',
      `data source of the service, ${notation}; may be repeated`,
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .action((name: string, { datasource = [] }: { readonly datasource?: readonly string[] }, add: Command) =>
      change(add, () => addService(name, datasource.map(readDataSource)), allowed),
    )
  addConfirmationOptions(command.command('add-datasource'))
    .description('add a data source to a service')
    .examples(...changeExamples('map add-datasource db4=replica@10.0.0.14:3306'))
    .argument('<datasource>', notation)
    .option('--service <service>', 'name of the service, if there are several')
    .action((written: string, { service }: { readonly service?: string }, add: Command) =>
      change(add, () => addDatasource(readDataSource(written), service), allowed),
    )
  addConfirmationOptions(command.command('reset'))
    .description('reset the map to the installed one')
    .examples(...changeExamples('map reset'))
    .action((_options, reset: Command) => change(reset, () => resetMap, allowed))
}
