import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { UsageError } from '../cli/usageError.ts'
import { guarded } from '../client/apiPath.ts'
import { get } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import { stateAfter, wrongState } from '../contracts/dataSourceOperations.ts'
import { basePath } from '../contracts/route.ts'
import {
  type DataSourceRole,
  dataSourceRoles,
  type MapDataSource,
  recordedStates,
} from '../contracts/servicesMap.ts'
import { type Change, type Forecast, payloadOf, type Refused, wouldRefuse } from './change.ts'
import { findService } from './findService.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { briefly, object } from './render.ts'
import { renderDatasource } from './renderDatasources.ts'
import { controlPath, servicePath } from './service.ts'
import { showOutcome } from './showResults.ts'

/** TCP port of a MySQL or MariaDB server unless told. */
const defaultPort = 3306

const isRole = (word: string): word is DataSourceRole => (dataSourceRoles as readonly string[]).includes(word)

/**
 * Reads a data source as the command line writes it: `NAME=ROLE@HOST` or `NAME=ROLE@HOST:PORT`, an IPv6 address in
 * brackets. Throws a `UsageError`.
 */
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

/** What can be done to a data source; each a call of its own. */
export const datasourceChanges = ['online', 'offline', 'shun', 'welcome', 'recover'] as const

export type DatasourceChange = (typeof datasourceChanges)[number]

/** A data source as the command line names it; of the only service that has it unless one is named. */
export type Named = { readonly name: string; readonly service: string | undefined }

const below = (name: string): string => `/datasource/${encodeURIComponent(name)}`

async function pathOf(
  call: Call,
  { name, service }: Named,
  path: (service: string) => string,
): Promise<{ readonly path: string } | Refused> {
  const found = await findService(call, { service, datasource: name })
  return 'problem' in found ? found : { path: path(found.service) }
}

/** `tapi datasource status NAME`: the state of a data source. */
export async function datasourceStatus(call: Call, named: Named): Promise<ExitCode> {
  const known = { ...call, caller: await login(call) }
  const asked = await pathOf(known, named, (service) => `${servicePath(service)}${below(named.name)}`)
  const outcome = 'problem' in asked ? asked : await get(known.caller, asked.path)
  return showOutcome({ call, outcome, render: renderDatasource })
}

/** `tapi datasource ping NAME`: whether the data source answers now; exit code 1 where it does not. */
export async function pingDatasource(call: Call, named: Named): Promise<ExitCode> {
  const known = { ...call, caller: await login(call) }
  const root = (service: string): string =>
    `${basePath}/manager/service/${encodeURIComponent(service)}${below(named.name)}/ping`
  const asked = await pathOf(known, named, root)
  const outcome = 'problem' in asked ? asked : await get(known.caller, asked.path)
  const answers = !('problem' in outcome) && object(readEnvelope(outcome.value)?.payload).value === true
  const render = (): string => `${named.name} ${answers ? 'answers' : 'does not answer'}\n`
  const code = showOutcome({ call, outcome, render })
  return answers ? code : exitCodes.failed
}

const questions: Readonly<Record<DatasourceChange, (name: string) => string>> = {
  online: (name) => `Bring ${name} online?`,
  offline: (name) =>
    `Take ${name} offline? The connector then sends it no connections. Under AUTOMATIC it comes back online by ` +
    'itself; shun keeps it out.',
  shun: (name) => `Shun ${name}? The connector sends it no connections until it is welcomed back.`,
  welcome: (name) => `Take ${name} back and online?`,
  recover: (name) => `Recover ${name} to OFFLINE? Under AUTOMATIC it then comes online by itself.`,
}

/** Says of a data source that was taken offline whether that lasts. */
async function whetherItLasts(call: Call, body: unknown): Promise<string | undefined> {
  const { name, service } = object(readEnvelope(body)?.payload)
  if (typeof service !== 'string') return undefined
  const outcome = await get(call.caller, servicePath(service))
  if ('problem' in outcome) return undefined
  if (object(readEnvelope(outcome.value)?.payload).policy !== 'AUTOMATIC') return undefined
  return `the policy is AUTOMATIC: ${name} comes back by itself. \`tapi datasource shun ${name}\` keeps it out.`
}

/** Foresees a change that is not for the state of the data source; a check of the database comes with the change. */
async function foresee(call: Call, change: DatasourceChange, named: Named): Promise<Forecast> {
  const asked = await pathOf(call, named, (service) => `${servicePath(service)}${below(named.name)}`)
  const told = 'problem' in asked ? asked : await payloadOf(call, asked.path)
  if ('problem' in told) return told
  const state = recordedStates.find((known) => known === told.payload.state)
  if (state === undefined || stateAfter(change, state) !== undefined) return undefined
  const reason = typeof told.payload.reason === 'string' ? told.payload.reason : null
  return wouldRefuse('wrong-state', wrongState({ operation: change, name: named.name, state, reason }))
}

/** `tapi datasource online|offline|shun|welcome|recover NAME`: one data source. */
export const changeDatasource = (change: DatasourceChange, named: Named): Change => ({
  command: `datasource ${change}`,
  local: true,
  question: (where) => `${questions[change](named.name)} As ${where} sees it.`,
  forecast: (call) => foresee(call, change, named),
  order: async (call) => {
    const asked = await pathOf(call, named, (service) => `${controlPath(service)}${below(named.name)}`)
    return 'problem' in asked ? asked : { path: guarded(`${asked.path}/${change}`) }
  },
  render: renderDatasource,
  brief: briefly,
  ...(change === 'offline' && { note: whetherItLasts }),
})
