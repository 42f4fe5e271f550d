import { jsonText } from '../base/json.ts'
import { printable } from '../base/printable.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { type Outcome, send } from '../client/calls.ts'
import { type ManagerReport, viewsToJson } from '../client/clusterView.ts'
import { disagreements, missingText } from '../output/clusterText.ts'
import { callHosts, hasFailed, isSuccess } from './call/callHosts.ts'
import { login, loginAll } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import { joinResults, readManager, topologyCall, withFindings } from './call/readManager.ts'
import { cell, type Fields, object, objects, payloadOf, renderBody, renderTable } from './call/render.ts'
import type { Runner } from './call/runner.ts'
import { exitCodeOfAll, hostOf, renderReason, resultToJson, showOutcome } from './call/showResults.ts'

/** Renders a ClusterTopologyPayload; ends with a newline. */
export function renderTopology(body: unknown, columns?: number): string {
  const payload = payloadOf(body)
  if (!Array.isArray(payload.services)) return renderBody(body)
  const routers = objects(payload.routers)
  const tables = [
    servicesTable(objects(payload.services), columns),
    ...(routers.length === 0 ? [] : [routersTable(routers, columns)]),
  ]
  return `${printable(`cluster ${cell(payload.name)}, ${cell(payload.topology)}`)}\n${tables.join('\n')}`
}

function servicesTable(services: readonly Fields[], columns?: number): string {
  const rows = services.flatMap((service) => {
    const sources = objects(service.datasources)
    if (sources.length === 0) return [[cell(service.name), '-', '-']]
    return sources.map(({ name, role }) => [cell(service.name), cell(name), cell(role)])
  })
  return rows.length === 0 ? 'no services\n' : renderTable(['service', 'data source', 'role'], rows, columns)
}

const routersTable = (routers: readonly Fields[], columns?: number): string =>
  renderTable(
    ['connector', 'active', 'created'],
    routers.map(({ name, connections }) => {
      const { active, created } = object(connections)
      return [cell(name), cell(active), cell(created)]
    }),
    columns,
  )

async function showTopology(call: Call, routers: boolean): Promise<ExitCode> {
  const outcome = await send(await login(call), topologyCall(routers))
  return showOutcome({ call, outcome, render: renderTopology })
}

/** Shows the services and their data sources as the managers of all hosts see them, and all connectors. */
async function showTopologyOfAll(calls: readonly Call[], routers: boolean): Promise<ExitCode> {
  const [first] = calls
  if (first === undefined) return exitCodes.ok
  const { context, options, target } = first
  const known = await loginAll(calls, first)
  const reports = new Map<string, ManagerReport>()
  const results = await callHosts(known, async (call): Promise<Outcome<unknown>> => {
    const read = await readManager(call, { routers })
    if ('problem' in read) return read
    reports.set(call.place, read.report)
    return read.topology
  })
  const { services, areWell } = joinResults(results, reports)
  const code = withFindings(exitCodeOfAll(results), !areWell)
  if (code === exitCodes.interrupted) return code
  const connectors = results.filter(isSuccess).flatMap((result) =>
    objects(payloadOf(result.outcome.value).routers).map((router) => ({
      host: hostOf(result),
      ...router,
    })),
  )
  const cluster = target.found?.cluster.cluster
  if (options.json) {
    const failed = results.filter(hasFailed).map(resultToJson)
    context.stdout.write(jsonText({ cluster, services: viewsToJson(services), routers: connectors, failed }))
    return code
  }
  const { columns } = context.stdout
  const notes = services.flatMap((service) => [...disagreements(service), ...missingText(service)])
  const tables = [
    servicesTable(services, columns),
    ...(notes.length === 0 ? [] : [notes.map((line) => `${line}\n`).join('')]),
    ...(connectors.length === 0 ? [] : [routersTable(connectors, columns)]),
  ]
  context.stdout.write(`${printable(`cluster ${cell(cluster)}`)}\n${tables.join('\n')}`)
  for (const result of results) context.stderr.write(renderReason(result))
  return code
}

export function defineTopology(command: CliCommand, { read }: Runner): void {
  command
    .option('--no-routers', 'do not list the connector')
    .action(({ routers }: { readonly routers: boolean }) =>
      read(
        command,
        (call) => showTopology(call, routers),
        ['manager'],
        (calls) => showTopologyOfAll(calls, routers),
      ),
    )
}
