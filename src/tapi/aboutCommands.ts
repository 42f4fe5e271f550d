import { jsonText } from '../base/json.ts'
import { printable } from '../base/printable.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { type Ping, ping, send } from '../client/calls.ts'
import { commonRoutes } from '../contracts/commonRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import { login } from './call/login.ts'
import { defineCall, type OneCall, readOne } from './call/oneCall.ts'
import type { Call } from './call/prepareCall.ts'
import { cell, payloadOf, renderBody, renderDuration, renderFields, renderList } from './call/render.ts'
import type { Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'

async function showPing(call: Call): Promise<ExitCode> {
  const outcome = await ping(call.caller)
  return showOutcome({ call, outcome, render: (answered) => renderPing(call.place, answered) })
}

const renderPing = (place: string, answered: Ping): string =>
  `${place} answered\n${renderFields([
    ['  message', answered.message],
    ['  host', answered.hostName],
    ['  pid', String(answered.pid)],
    ['  uptime', renderDuration(answered.jvmUptime)],
    ['  date', answered.date],
  ])}`

function renderVersion(body: unknown): string {
  const { version, component, node } = payloadOf(body)
  if (typeof version !== 'string') return renderBody(body)
  return renderFields([
    ['version', version],
    ['component', cell(component)],
    ['node', cell(node)],
  ])
}

const version: OneCall = { request: () => callOf(commonRoutes.version), render: renderVersion }

/**
 * Shows whether the component is ready; exit code 1 if it is not. Logs in only if a user is given: without a
 * login the API does not list the reasons.
 */
async function showHealth(call: Call): Promise<ExitCode> {
  const { context, options } = call
  const hasUser = options.user !== undefined || Boolean(context.env.TAPI_USER)
  const outcome = await send(hasUser ? await login(call) : call.caller, callOf(commonRoutes.ready))
  const { status, body } = outcome.response
  // A 503 with text is a response, not a problem.
  const isAnswer = typeof body === 'string' && /^(un)?ready\b/.test(body)
  if (!isAnswer) return showOutcome({ call, outcome, render: renderBody })
  const [state = '', ...reasons] = body.trim().split('\n')
  if (options.json) context.stdout.write(jsonText({ status, state, reasons }))
  else context.stdout.write(`${printable([state, ...reasons.map((it) => `  ${it}`)].join('\n'))}\n`)
  return status === 200 ? exitCodes.ok : exitCodes.failed
}

export function definePing(command: CliCommand, { read }: Runner): void {
  command.action(() => read(command, showPing))
}

export function defineHealth(command: CliCommand, { read }: Runner): void {
  command.action(() => read(command, showHealth))
}

/** Prints the version of tapi. */
function showVersion({ parent }: CliCommand): void {
  parent?.configureOutput().writeOut?.(`${parent.version()}\n`)
}

export function defineVersion(command: CliCommand, { read }: Runner): void {
  command.action(() =>
    command.optsWithGlobals<{ host?: string }>().host === undefined
      ? showVersion(command)
      : read(command, (call) => readOne(call, version)),
  )
}

export const defineUris = defineCall({
  request: () => callOf(commonRoutes.uris),
  render: renderList('method', 'path'),
})
