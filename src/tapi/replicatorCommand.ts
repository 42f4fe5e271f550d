import type { Command } from 'commander'
import { isObject } from '../base/json.ts'
import { printable } from '../base/printable.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { send } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import { replicatorRoutes } from '../contracts/replicatorRoutes.ts'
import { callOf, type RouteCall } from '../contracts/routeCall.ts'
import type { Change } from './call/change.ts'
import { addConfirmationOptions } from './call/confirmation.ts'
import { changeExamples, readExamples } from './call/examples.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import {
  cell,
  type Fields,
  object,
  objects,
  renderBody,
  renderTable,
  seconds,
  summarizeChange,
} from './call/render.ts'
import type { Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'

const columns: readonly (readonly [title: string, show: (service: Fields) => string])[] = [
  ['role', ({ role }) => cell(role)],
  ['state', ({ state }) => cell(state)],
  ['seqno', ({ appliedLastSeqno }) => cell(appliedLastSeqno)],
  ['lag', ({ appliedLatency }) => seconds(appliedLatency)],
  ['primary', ({ masterConnectUri }) => cell(masterConnectUri)],
]

const changed: (typeof columns)[number] = ['changed', (it) => (it.changed === true ? 'yes' : 'no')]

function takenOfflineOf(name: string, { takenOffline }: Fields): string {
  const { by, since } = object(takenOffline)
  if (typeof by !== 'string' || typeof since !== 'string') return ''
  return `${printable(`${name}: taken offline by ${by} at ${since}`)}\n`
}

function errorOf(name: string, service: Fields): string {
  const { pendingError, pendingErrorCode, pendingExceptionMessage } = service
  if (typeof pendingError !== 'string') return ''
  const words = `ERROR ${cell(pendingErrorCode)}: ${cell(pendingExceptionMessage)}`
  return `${printable(`${name}: ${pendingError}`)}\n  ${printable(words)}\n`
}

/** Renders a ReplicatorStatusPayload as a table with the errors below; ends with a newline. */
export function renderServices(body: unknown, width?: number): string {
  const payload = readEnvelope(body)?.payload
  if (!isObject(payload)) return renderBody(body)
  const services = Object.entries(payload).filter((entry): entry is [string, Fields] => isObject(entry[1]))
  if (services.length === 0) return 'no replication services\n'
  const shown = services.some(([, it]) => 'changed' in it) ? [...columns, changed] : columns
  const headline = ['service', ...shown.map(([title]) => title)]
  const rows = services.map(([name, it]) => [name, ...shown.map(([, show]) => show(it))])
  return `${renderTable(headline, rows, width)}${services.map(([name, it]) => `${takenOfflineOf(name, it)}${errorOf(name, it)}`).join('')}`
}

/** Renders a ServicesPayload; ends with a newline. */
export function renderServiceList(body: unknown, width?: number): string {
  const payload = readEnvelope(body)?.payload
  if (!Array.isArray(payload)) return renderBody(body)
  const services = objects(payload)
  if (services.length === 0) return 'no replication services\n'
  const headline = ['service', ...columns.map(([title]) => title)]
  const rows = services.map((it) => [cell(it.serviceName), ...columns.map(([, show]) => show(it))])
  return renderTable(headline, rows, width)
}

const allowed = ['replicator'] as const

const descriptions = {
  online: 'start replication and wait until it runs without an error',
  offline: 'stop replication and wait until it has stopped',
  reset: 'reset the replication position; replication must be offline',
} as const

type ReplicatorChange = keyof typeof descriptions

const verbs = { online: 'start', offline: 'stop', reset: 'reset' } as const satisfies Record<
  ReplicatorChange,
  string
>

const routes = {
  status: { all: replicatorRoutes.replicatorStatus, one: replicatorRoutes.replicatorServiceStatus },
  online: { all: replicatorRoutes.replicatorOnline, one: replicatorRoutes.replicatorServiceOnline },
  offline: { all: replicatorRoutes.replicatorOffline, one: replicatorRoutes.replicatorServiceOffline },
  reset: { all: replicatorRoutes.replicatorReset, one: replicatorRoutes.replicatorServiceReset },
} as const

const replicatorCall = (action: keyof typeof routes, service: string | undefined): RouteCall =>
  service === undefined ? callOf(routes[action].all) : callOf(routes[action].one, { service })

async function replicatorStatus(call: Call, service: string | undefined): Promise<ExitCode> {
  const outcome = await send(await login(call), replicatorCall('status', service))
  return showOutcome({ call, outcome, render: renderServices })
}

async function replicatorServices(call: Call): Promise<ExitCode> {
  const outcome = await send(await login(call), callOf(replicatorRoutes.replicatorServices))
  return showOutcome({ call, outcome, render: renderServiceList })
}

function question(change: ReplicatorChange, what: string): string {
  switch (change) {
    case 'online':
      return `Start ${what}?`
    case 'offline':
      return `Stop ${what}?`
    case 'reset':
      return (
        `Reset the replication position of ${what}? With GTIDs the database keeps its position; without, it ` +
        "starts over at the primary's oldest binary log."
      )
  }
}

const changeReplicator = (change: ReplicatorChange, service: string | undefined): Change => ({
  command: `replicator ${change}`,
  question: (where) =>
    question(change, `the replication ${service === undefined ? '' : `service ${service} `}of ${where}`),
  request: async () => replicatorCall(change, service),
  // A primary, which --all comes to as well.
  nothingToDo: ({ code }) =>
    code === 'not-configured' ? `not a replica: nothing to ${verbs[change]}` : undefined,
  render: renderServices,
  summarize: summarizeChange,
})

export function defineReplicator(command: CliCommand, { read, change }: Runner): void {
  const serviceWord = 'name of a service (default: all of the host)'
  command.helpCommand(false)
  command
    .command('services')
    .description('list the replication services')
    .examples(...readExamples('replicator services'))
    .action((_options, services: Command) => read(services, replicatorServices, allowed))
  command
    .command('status')
    .description('show the state of replication')
    .examples(...readExamples('replicator status'))
    .argument('[service]', serviceWord)
    .action((service: string | undefined, _options, status: Command) =>
      read(status, (call) => replicatorStatus(call, service), allowed),
    )
  for (const [word, description] of Object.entries(descriptions) as [ReplicatorChange, string][]) {
    addConfirmationOptions(command.command(word))
      .description(description)
      .examples(...changeExamples(`replicator ${word}`))
      .argument('[service]', serviceWord)
      .action((service: string | undefined, _options, one: Command) =>
        change(one, () => changeReplicator(word, service), allowed),
      )
  }
}
