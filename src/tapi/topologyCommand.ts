import type { Command } from 'commander'
import { printable } from '../base/printable.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { get } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import { basePath } from '../contracts/route.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import { cell, object, objects, renderBody, renderTable } from './call/render.ts'
import type { Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'

/** Renders a ClusterTopologyPayload; ends with a newline. */
export function renderTopology(body: unknown, columns?: number): string {
  const payload = object(readEnvelope(body)?.payload)
  if (!Array.isArray(payload.services)) return renderBody(body)
  const rows = objects(payload.services).flatMap((service) => {
    const sources = objects(service.datasources)
    if (sources.length === 0) return [[cell(service.name), '-', '-']]
    return sources.map(({ name, role }) => [cell(service.name), cell(name), cell(role)])
  })
  const routers = objects(payload.routers).map(({ name, connections }) => {
    const { active, created } = object(connections)
    return [cell(name), cell(active), cell(created)]
  })
  const tables = [
    ...(rows.length === 0
      ? ['no services\n']
      : [renderTable(['service', 'data source', 'role'], rows, columns)]),
    ...(routers.length === 0 ? [] : [renderTable(['connector', 'active', 'created'], routers, columns)]),
  ]
  return `${printable(`cluster ${cell(payload.name)}, ${cell(payload.topology)}`)}\n${tables.join('\n')}`
}

async function showTopology(call: Call, routers: boolean): Promise<ExitCode> {
  const path = `${basePath}/manager/cluster/topology${routers ? '' : '?includeRouters=no'}`
  return showOutcome({ call, outcome: await get(await login(call), path), render: renderTopology })
}

export function defineTopology(command: Command, { read }: Runner): void {
  command
    .option('--no-routers', 'do not list the connector')
    .action(({ routers }: { readonly routers: boolean }) =>
      read(command, (call) => showTopology(call, routers), ['manager']),
    )
}
