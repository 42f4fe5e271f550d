import type { Command } from 'commander'
import type { CliCommand } from '../cli/cliCommand.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { send } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import { connectorRoutes } from '../contracts/connectorRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import type { Change } from './call/change.ts'
import { addConfirmationOptions } from './call/confirmation.ts'
import { changeExamples, readExamples } from './call/examples.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import {
  cell,
  changedField,
  object,
  objects,
  renderBody,
  renderFields,
  renderTable,
  time,
} from './call/render.ts'
import type { Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'

/** Renders a ConnectorStatusPayload; ends with a newline. */
export function renderConnector(body: unknown, columns?: number): string {
  const it = object(readEnvelope(body)?.payload)
  if (typeof it.value !== 'string') return renderBody(body)
  const fields = renderFields(
    [
      ['state', `${it.value} since ${time(it.since)} by ${cell(it.by)}`],
      ['reason', cell(it.reason)],
      ['active', cell(it.active)],
      [
        'held',
        `${cell(it.held)}${typeof it.expiresAt === 'string' ? `, the first until ${time(it.expiresAt)}` : ''}`,
      ],
      ['created', cell(it.created)],
      ...changedField(it),
    ],
    columns,
  )
  const rows = objects(it.datasources).map((source) =>
    [source.service, source.name, source.active, source.created].map(cell),
  )
  if (rows.length === 0) return fields
  return `${fields}\n${renderTable(['service', 'data source', 'active', 'created'], rows, columns)}`
}

const allowed = ['connector'] as const

const descriptions = {
  online: 'accept and forward connections; release held ones in order',
  onhold: 'accept new connections and hold them; existing ones continue',
  offline: 'refuse new connections and drain existing ones',
} as const

type ConnectorChange = keyof typeof descriptions

async function connectorStatus(call: Call): Promise<ExitCode> {
  const outcome = await send(await login(call), callOf(connectorRoutes.connectorStatus))
  return showOutcome({ call, outcome, render: renderConnector })
}

function question(change: ConnectorChange, { where, immediate }: { where: string; immediate: boolean }) {
  switch (change) {
    case 'online':
      return `Let ${where} accept and forward connections?`
    case 'onhold':
      return `Let ${where} hold new connections? Applications wait; those over the time or number limit get an error. Existing connections continue.`
    case 'offline':
      return `Take ${where} offline? New connections are refused at once; existing ones ${immediate ? 'are closed at once' : 'get time to finish, then are closed'}.`
  }
}

function summarize(body: unknown): string {
  const { value, active, held, changed } = object(readEnvelope(body)?.payload)
  const counts = `${cell(active)} active, ${cell(held)} held`
  return `${cell(value)}, ${changed === true ? 'changed' : 'unchanged'}, ${counts}`
}

const routes = {
  online: connectorRoutes.connectorOnline,
  onhold: connectorRoutes.connectorOnhold,
  offline: connectorRoutes.connectorOffline,
} as const

const changeConnector = (change: ConnectorChange, immediate: boolean): Change => ({
  command: `connector ${change}`,
  question: (where) => question(change, { where, immediate }),
  request: async () =>
    immediate
      ? callOf(connectorRoutes.connectorOffline, {}, { query: { immediate: 'true' } })
      : callOf(routes[change]),
  render: renderConnector,
  summarize,
})

export function defineConnector(command: CliCommand, { read, change }: Runner): void {
  command.helpCommand(false)
  command
    .command('status')
    .description('show the state and the number of connections')
    .examples(...readExamples('connector status'))
    .action((_options, status: Command) => read(status, connectorStatus, allowed))
  for (const [word, description] of Object.entries(descriptions) as [ConnectorChange, string][]) {
    const one = addConfirmationOptions(command.command(word))
      .description(description)
      .examples(...changeExamples(`connector ${word}`))
    if (word === 'offline') one.option('--immediate', 'close existing connections at once')
    one.action(({ immediate }: { readonly immediate?: boolean }) =>
      change(one, () => changeConnector(word, immediate === true), allowed),
    )
  }
}
