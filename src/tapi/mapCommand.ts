import { resolve } from 'node:path'
import { Option } from 'commander'
import { isObject, parseJson } from '../base/json.ts'
import { collectValues } from '../cli/command.ts'
import { readInputFile } from '../cli/readInputFile.ts'
import { readAllInput } from '../cli/terminalInput.ts'
import { UsageError } from '../cli/usageError.ts'
import { readEnvelope } from '../client/envelope.ts'
import { callOf } from '../contracts/routeCall.ts'
import {
  type DataSourceRole,
  dataSourceRoles,
  type MapDataSource,
  type ServicesMap,
} from '../contracts/servicesMap.ts'
import { findService, mapRoutesOf } from './call/findService.ts'
import { defineCalls } from './call/oneCall.ts'
import { address, cell, type Fields, objects, payloadOf, renderBody, renderTable } from './call/render.ts'
import type { ChangeContext } from './call/runner.ts'

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
  const payload = payloadOf(body)
  const services = servicesOf(payload)
  if (services === undefined) return renderBody(body)
  const table =
    services.length === 0 ? 'no services\n' : renderTable(headline, services.flatMap(rows), columns)
  if (typeof payload.changed !== 'boolean') return table
  return `${table}${payload.changed ? 'changed' : 'unchanged'}\n`
}

const shown = { render: renderMap, shared: true } as const

/** The manager comes first: a connector that follows one passes the call on. */
const mapped = ['manager', 'connector'] as const

const notation = 'NAME=ROLE@HOST:PORT, such as db4=replica@10.0.0.14:3306'

const collected = `data source of the service, ${notation}; may be repeated`

type NewMap = { readonly services: ServicesMap['services'] }
type WrittenService = { readonly name: string; readonly datasource?: readonly string[] }
type NewService = { readonly name: string; readonly datasources?: readonly MapDataSource[] }
type WrittenSource = { readonly datasource: string; readonly service?: string }
type NewSource = { readonly source: MapDataSource; readonly service?: string }

export const defineMap = defineCalls(mapped, {
  show: {
    ...shown,
    description: 'show the map in effect',
    request: (_, call) => callOf(mapRoutesOf(call).servicesMap),
  },
  set: {
    ...shown,
    description: 'replace the whole map',
    argument: ['<file>', 'JSON as `map show --json` prints it, states are ignored; - is standard input'],
    sample: 'map.json',
    prepare: async ({ file }: { readonly file: string }, context): Promise<NewMap> => ({
      services: await readMap(context, file),
    }),
    question: (where) => `Replace the whole services map of ${where}?`,
    request: (payload: NewMap, call) => callOf(mapRoutesOf(call).changeServicesMap, {}, { payload }),
  },
  'add-service': {
    ...shown,
    description: 'add a service',
    argument: ['<name>', 'name of the service'],
    option: new Option('--datasource <datasource>', collected).argParser(collectValues),
    examples: [
      ['Add a service without data sources', 'tapi --host db1 --user admin map add-service asia'],
      [
        'Add one with its primary',
        'tapi --host db1 --user admin map add-service asia --datasource db7=primary@10.0.0.17:3306',
      ],
    ],
    prepare: ({ name, datasource }: WrittenService): NewService => ({
      name,
      ...(datasource && { datasources: datasource.map(readDataSource) }),
    }),
    question: (where, { name }: NewService) => `Add the service ${name} to the services map of ${where}?`,
    request: (payload: NewService, call) => callOf(mapRoutesOf(call).addDataService, {}, { payload }),
  },
  'add-datasource': {
    ...shown,
    description: 'add a data source to a service',
    argument: ['<datasource>', notation],
    option: new Option('--service <service>', 'name of the service, if there are several'),
    sample: 'db4=replica@10.0.0.14:3306',
    prepare: ({ datasource, ...given }: WrittenSource): NewSource => ({
      ...given,
      source: readDataSource(datasource),
    }),
    question: (where, { source: { name, role, host, port } }: NewSource) =>
      `Add the data source ${name} (${role} at ${host} port ${port}) to the services map of ${where}?`,
    request: async ({ source, service }: NewSource, call) => {
      const found = await findService(call, { service })
      if ('problem' in found) return found
      return callOf(mapRoutesOf(call).addDataSource, {}, { payload: { ...found, ...source } })
    },
  },
  reset: {
    ...shown,
    description: 'reset the map to the installed one',
    question: (where) =>
      `Reset the services map of ${where} to the installed one? Changes made by calls are discarded.`,
    request: (_, call) => callOf(mapRoutesOf(call).reset),
  },
})
