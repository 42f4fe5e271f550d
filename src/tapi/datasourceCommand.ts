import { Option } from 'commander'
import { exitCodes } from '../cli/exitCodes.ts'
import { send } from '../client/calls.ts'
import { dataSourceRoutes, managerRoutes } from '../contracts/managerRoutes.ts'
import { callOf, type RouteCall } from '../contracts/routeCall.ts'
import { type Change, type Refused, withParameter } from './call/change.ts'
import { findService } from './call/findService.ts'
import { defineCalls } from './call/oneCall.ts'
import type { Call } from './call/prepareCall.ts'
import { payloadOf } from './call/render.ts'
import { renderDatasource, renderService } from './call/renderDatasources.ts'
import { requestService } from './serviceCommand.ts'

const routes = {
  ...dataSourceRoutes,
  status: managerRoutes.managerDatasourceStatus,
  ping: managerRoutes.managerPing,
} as const

/** Data source on the command line; its service is looked up unless given. */
type Named = { readonly name: string; readonly service?: string }

const requestDatasource =
  (route: keyof typeof routes) =>
  async ({ name, service }: Named, call: Call): Promise<RouteCall | Refused> => {
    const found = await findService(call, { service, datasource: name })
    return 'problem' in found ? found : callOf(routes[route], { ...found, datasource: name })
  }

const answers = (body: unknown): boolean => payloadOf(body).value === true

/** Returns a note if the policy will bring the data source back online. */
async function noteAutomaticReturn(call: Call, body: unknown): Promise<string | undefined> {
  const { name, service } = payloadOf(body)
  if (typeof service !== 'string') return undefined
  const outcome = await send(call.caller, callOf(managerRoutes.managerServiceStatus, { service }))
  if ('problem' in outcome) return undefined
  if (payloadOf(outcome.value).policy !== 'AUTOMATIC') return undefined
  return `the policy is AUTOMATIC: ${name} comes back by itself. \`tapi datasource shun ${name}\` keeps it out.`
}

/** Returns the call that re-points a server that follows the wrong source, where the manager offers it. */
const repoint: Change['further'] = ({ code, errors }, request) =>
  code === 'wrong-state' && errors.some((error) => error.path === '?repoint')
    ? withParameter(request, 'repoint', 'yes')
    : undefined

const name = 'name of the data source'
const option = new Option(
  '--service <service>',
  'name of the service, if several have a data source of this name',
)

const changing = (route: keyof typeof dataSourceRoutes) =>
  ({
    argument: ['<name>', name],
    option,
    sample: 'db3',
    request: requestDatasource(route),
    render: renderDatasource,
    shared: true,
  }) as const

export const defineDatasource = defineCalls('manager', {
  status: {
    description: 'show a data source, or all data sources of the service',
    argument: ['[name]', name],
    option,
    examples: [
      ['Show all data sources', 'tapi --host db1 --user admin datasource status'],
      ['Show one of them', 'tapi --host db1 --user admin datasource status db3'],
    ],
    request: ({ name, service }: Partial<Named>, call) =>
      name === undefined
        ? requestService('status')({ service }, call)
        : requestDatasource('status')({ name, ...(service !== undefined && { service }) }, call),
    render: (body, columns, { name }: Partial<Named>) =>
      name === undefined ? renderService(body, columns) : renderDatasource(body, columns),
  },
  ping: {
    description: 'check that a data source answers; exit code 1 if it does not',
    argument: ['<name>', name],
    option,
    sample: 'db3',
    request: requestDatasource('ping'),
    render: (body, _, { name }: Named) => `${name} ${answers(body) ? 'answers' : 'does not answer'}\n`,
    exitCode: (body) => (answers(body) ? exitCodes.ok : exitCodes.failed),
  },
  online: {
    ...changing('online'),
    description: 'bring an offline data source online, if its health check succeeds',
    question: (where, { name }: Named) => `Bring ${name} online on ${where}?`,
  },
  offline: {
    ...changing('offline'),
    description: 'take a data source offline; under AUTOMATIC it comes back by itself',
    question: (where, { name }: Named) =>
      `Take ${name} offline on ${where}? The connector then sends it no connections. Under AUTOMATIC it comes back ` +
      'online by itself; shun keeps it out.',
    note: noteAutomaticReturn,
  },
  shun: {
    ...changing('shun'),
    description: 'keep a data source out until it is welcomed back',
    question: (where, { name }: Named) =>
      `Shun ${name} on ${where}? The connector sends it no connections until it is welcomed back.`,
  },
  welcome: {
    ...changing('welcome'),
    description: 'bring a shunned data source back online, if its health check succeeds',
    question: (where, { name }: Named) => `Bring ${name} back online on ${where}?`,
  },
  recover: {
    ...changing('recover'),
    description: 'set a failed or shunned data source offline, or let a replica follow the primary again',
    question: (where, { name }: Named) =>
      `Recover ${name} to OFFLINE on ${where}? Under AUTOMATIC it then comes online by itself.`,
    further: repoint,
  },
})
