import { isObject, jsonText } from '../base/json.ts'
import { printable } from '../base/printable.ts'
import { wrap } from '../base/wrapping.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { type Outcome, send } from '../client/calls.ts'
import { type ManagerReport, type Readiness, readReadiness, viewsToJson } from '../client/clusterView.ts'
import { commonRoutes } from '../contracts/commonRoutes.ts'
import type { Component } from '../contracts/component.ts'
import { connectorRoutes } from '../contracts/connectorRoutes.ts'
import { managerRoutes } from '../contracts/managerRoutes.ts'
import { replicatorRoutes } from '../contracts/replicatorRoutes.ts'
import { callOf, type RouteCall } from '../contracts/routeCall.ts'
import { clusterText } from '../output/clusterText.ts'
import { type CallResult, callHosts, isSuccess } from './call/callHosts.ts'
import { loginAll } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import { joinResults, readManager, withFindings } from './call/readManager.ts'
import { cell, type Fields, objects, payloadOf, renderDuration, time } from './call/render.ts'
import { renderDatasources } from './call/renderDatasources.ts'
import type { Runner } from './call/runner.ts'
import { exitCodeOfAll, hostOf, isUnreachable } from './call/showResults.ts'

/** Status of a component and, for a manager, of its service. */
export type ComponentStatus = { readonly result: CallResult; readonly service?: unknown }

const statusCalls: Readonly<Record<Component, RouteCall>> = {
  manager: callOf(managerRoutes.managerStatus),
  connector: callOf(connectorRoutes.connectorStatus),
  replicator: callOf(replicatorRoutes.replicatorStatus),
}

/** Returns true for a component without a database: it has nothing to do, which is not a failure. */
const isIdle = (result: CallResult): boolean =>
  'outcome' in result && 'problem' in result.outcome && result.outcome.problem.code === 'no-database'

function toJson({ result, service }: ComponentStatus): object {
  if ('error' in result) {
    const { code, message, fix } = result.error
    return { error: { code, message, fix } }
  }
  const payload = payloadOf(result.outcome.response.body)
  if ('problem' in result.outcome) return { problem: payload }
  return { status: payload, ...(service !== undefined && { service }) }
}

const isManager = ({ target }: Call): boolean => target.component === 'manager'

/** Shows the components of all hosts, one line each, and the cluster as its managers see it. */
async function showStatusOfAll(calls: readonly Call[]): Promise<ExitCode> {
  const [first] = calls
  if (first === undefined) return exitCodes.ok
  const { context, options, target } = first
  const known = await loginAll(calls, first)
  const readiness = new Map<Call, Readiness>()
  const reports = new Map<string, ManagerReport>()
  const results = await callHosts(known, async (call): Promise<Outcome<unknown>> => {
    const status = await send(call.caller, statusCalls[call.target.component])
    if ('problem' in status) return status
    const ready = readReadiness((await send(call.caller, callOf(commonRoutes.ready))).response)
    if (ready !== undefined) readiness.set(call, ready)
    if (!isManager(call)) return status
    const read = await readManager(call, { routers: false })
    if ('problem' in read) return read
    reports.set(call.place, read.report)
    return status
  })
  const bad = results.filter((result) => !isSuccess(result) && !isIdle(result))
  const { services, areWell } = joinResults(
    results.filter(({ call }) => isManager(call)),
    reports,
  )
  const areReady = [...readiness.values()].every(({ ready }) => ready)
  const code = withFindings(exitCodeOfAll(bad), !areWell || !areReady)
  if (code === exitCodes.interrupted) return code
  const cluster = target.found?.cluster.cluster
  const readinessOf = ({ call }: CallResult): Readiness | undefined => readiness.get(call)
  if (options.json) {
    const hosts = [...new Set(results.map(hostOf))].map((host) => {
      const members = results
        .filter((result) => hostOf(result) === host)
        .map((result) => [result.call.target.component, { ...toJson({ result }), ...readinessOf(result) }])
      return { host, components: Object.fromEntries(members) }
    })
    context.stdout.write(jsonText({ cluster, hosts, services: viewsToJson(services) }))
    return code
  }
  const { columns } = context.stdout
  const rows = results.flatMap((result) =>
    lines({ result }).map(([component, state, more]) => {
      return [hostOf(result), component, state, withReadiness(readinessOf(result), more)]
    }),
  )
  const view = clusterText(services, {
    colour: false,
    width: columns ?? Number.POSITIVE_INFINITY,
  })
  const parts = [
    `cluster ${cell(cluster)}\n${alignLines(rows, columns)}`,
    view.map((line) => `${line}\n`).join(''),
  ]
  context.stdout.write(parts.filter((part) => part !== '').join('\n'))
  for (const [fix, results] of fixesOf(bad)) {
    const where = results.map((result) => `${hostOf(result)} ${result.call.target.component}`)
    context.stderr.write(printable(`fix (${where.join(', ')}): ${fix}\n`))
  }
  return code
}

/** Shows all components of the host; those without a response are listed with the reason. */
async function showStatus(calls: readonly Call[]): Promise<ExitCode> {
  const [first] = calls
  if (first === undefined) return exitCodes.ok
  const { context, options } = first
  const known = await loginAll(calls, first)
  const services = new Map<Component, unknown>()
  const results = await callHosts(known, async (call): Promise<Outcome<unknown>> => {
    const { component } = call.target
    const status = await send(call.caller, statusCalls[component])
    if (component !== 'manager' || 'problem' in status) return status
    const { dataServiceName } = payloadOf(status.value)
    if (typeof dataServiceName !== 'string') return status
    const read = callOf(managerRoutes.managerServiceStatus, { service: dataServiceName })
    const service = await send(call.caller, read)
    if (!('problem' in service)) services.set(component, payloadOf(service.value))
    return status
  })
  const answered = results.map((result) => ({ result, service: services.get(result.call.target.component) }))
  const bad = results.filter((result) => !isSuccess(result) && !isIdle(result))
  const code = exitCodeOfAll(bad)
  if (code === exitCodes.interrupted) return code
  if (options.json) {
    const members = answered.map((one) => [one.result.call.target.component, toJson(one)])
    context.stdout.write(jsonText(Object.fromEntries(members)))
    return code
  }
  context.stdout.write(renderStatus(answered, context.stdout.columns))
  for (const [fix, results] of fixesOf(bad)) {
    const kinds = results.map(({ call }) => call.target.component)
    context.stderr.write(printable(`fix (${kinds.join(', ')}): ${fix}\n`))
  }
  return code
}

/** Groups the components without a response by fix. */
function fixesOf(bad: readonly CallResult[]): ReadonlyMap<string, readonly CallResult[]> {
  const fixes = new Map<string, readonly CallResult[]>()
  for (const result of bad) {
    if (!('error' in result)) continue
    const { fix } = result.error
    fixes.set(fix, [...(fixes.get(fix) ?? []), result])
  }
  return fixes
}

/** Begins with why a component is not ready, unless its status already says so. */
function withReadiness(readiness: Readiness | undefined, status: string): string {
  if (readiness?.ready !== false) return status
  return list([status.includes(readiness.reason) ? 'not ready' : `not ready: ${readiness.reason}`, status])
}

type Line = readonly [component: string, state: string, more: string]

const list = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(', ')

function managerLine(status: Fields): Line {
  const { state, reason, policyMode, dataSourceName, dataServiceName, isWitness, uptimeSeconds } = status
  const part =
    typeof dataSourceName === 'string'
      ? `data source ${dataSourceName}`
      : isWitness === true
        ? 'witness'
        : 'no data source'
  const place = `${part} of ${cell(dataServiceName)}`
  const uptime = typeof uptimeSeconds === 'number' ? `up ${renderDuration(uptimeSeconds * 1000)}` : undefined
  const why = typeof reason === 'string' ? reason : undefined
  return ['manager', cell(state), list([why, `policy ${cell(policyMode)}`, place, uptime])]
}

function connectorLine({ value, active, held, created, expiresAt, reason }: Fields): Line {
  const until = typeof expiresAt === 'string' ? ` until ${time(expiresAt)}` : ''
  const counts = `${cell(active)} active, ${cell(held)} held${until}, ${cell(created)} created`
  return ['connector', cell(value), list([counts, typeof reason === 'string' ? reason : undefined])]
}

function replicatorLines(services: Fields): readonly Line[] {
  const known = Object.entries(services).filter((entry): entry is [string, Fields] => isObject(entry[1]))
  if (known.length === 0) return [['replicator', '-', 'no replication services']]
  return known.map(([name, it]) => {
    const behind = typeof it.appliedLatency === 'number' ? `${it.appliedLatency} s behind` : undefined
    const from = typeof it.masterConnectUri === 'string' ? `fetches from ${it.masterConnectUri}` : undefined
    const error = typeof it.pendingError === 'string' ? it.pendingError : undefined
    return ['replicator', cell(it.state), list([`${name} as ${cell(it.role)}`, behind, from, error])]
  })
}

/** Renders a component that returned no status. */
function missingLine(result: CallResult): Line {
  const { component } = result.call.target
  if ('error' in result)
    return [component, isUnreachable(result) ? 'unreachable' : 'failed', result.error.message]
  if (!('problem' in result.outcome)) return [component, '-', '']
  const { status, code, title, detail } = result.outcome.problem
  if (code === 'no-database') return [component, '-', detail ?? title]
  return [component, 'refused', `${title} [${status}${code === undefined ? '' : ` ${code}`}]`]
}

function lines({ result }: ComponentStatus): readonly Line[] {
  if ('error' in result || 'problem' in result.outcome) return [missingLine(result)]
  const payload = payloadOf(result.outcome.value)
  switch (result.call.target.component) {
    case 'manager':
      return [managerLine(payload)]
    case 'connector':
      return [connectorLine(payload)]
    case 'replicator':
      return replicatorLines(payload)
  }
}

/** Aligns the columns; the last one continues below itself on a narrow terminal. Ends with a newline. */
function alignLines(rows: readonly (readonly string[])[], columns = Number.POSITIVE_INFINITY): string {
  const printed = rows.map((row) => row.map((part) => printable(part)))
  const last = Math.max(...printed.map((row) => row.length)) - 1
  const widths = Array.from({ length: last }, (_, at) =>
    Math.max(...printed.map((row) => row[at]?.length ?? 0)),
  )
  const indent = widths.reduce((sum, width) => sum + width + 2, 0)
  const width = Math.max(indent + 20, columns)
  const lines = printed.flatMap((row) => {
    const first = widths.map((columns, at) => `${(row[at] ?? '').padEnd(columns)}  `).join('')
    return wrap(row[last] ?? '', { width, first, rest: ' '.repeat(indent) })
  })
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}

/** Renders the components of a host, then the data sources that its manager sees; ends with a newline. */
function renderStatus(answered: readonly ComponentStatus[], columns?: number): string {
  const [first] = answered
  if (first === undefined) return ''
  const { target, options } = first.result.call
  const name = target.found?.host.name ?? options.host
  const cluster = target.found?.cluster.cluster
  const title = `${name} (${target.found?.host.address ?? target.address})${cluster === undefined ? '' : ` of cluster ${cluster}`}`
  const table = alignLines(answered.flatMap(lines), columns)
  const services = answered.flatMap(({ service }) => (isObject(service) ? [service] : []))
  const sources = services.map((it) => `\n${renderDatasources(objects(it.datasources), columns)}`)
  return `${printable(title)}\n${table}${sources.join('')}`
}

export function defineStatus(command: CliCommand, { readHost }: Runner): void {
  command.action(() => readHost(command, { one: showStatus, all: showStatusOfAll }))
}
