import { jsonText } from '../base/json.ts'
import { printable } from '../base/printable.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { writeText } from '../cli/terminal.ts'
import { get } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import { basePath } from '../contracts/route.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { cell, object, objects, renderBody, renderFields, renderTable } from './render.ts'
import { showOutcome } from './showResults.ts'

function renderVersion(body: unknown): string {
  const { version, component, node } = object(readEnvelope(body)?.payload)
  if (typeof version !== 'string') return renderBody(body)
  return renderFields([
    ['version', version],
    ['component', cell(component)],
    ['node', cell(node)],
  ])
}

/** `tapi version`: which version of which component answers. */
export async function versionCommand(call: Call): Promise<ExitCode> {
  const outcome = await get(await login(call), `${basePath}/version`)
  return showOutcome({ call, outcome, render: renderVersion })
}

function renderUris(body: unknown, columns?: number): string {
  const payload = readEnvelope(body)?.payload
  if (!Array.isArray(payload)) return renderBody(body)
  return renderTable(
    ['method', 'path'],
    objects(payload).map(({ method, path }) => [cell(method), cell(path)]),
    columns,
  )
}

/** `tapi uris`: every call that the component serves. */
export async function urisCommand(call: Call): Promise<ExitCode> {
  const outcome = await get(await login(call), `${basePath}/uris`)
  return showOutcome({ call, outcome, render: renderUris })
}

/**
 * `tapi health`: whether the component is ready for its work; exit code 1 where it is not. The reasons are told to
 * a login only, which is made where a user is given.
 */
export async function healthCommand(call: Call): Promise<ExitCode> {
  const { context, options } = call
  const hasUser = options.user !== undefined || Boolean(context.env.TAPI_USER)
  const outcome = await get(hasUser ? await login(call) : call.caller, '/health/ready')
  const { status, body } = outcome.answer
  // Text of 503 is the answer, not a problem.
  const isAnswer = typeof body === 'string' && /^(un)?ready\b/.test(body)
  if (!isAnswer) return showOutcome({ call, outcome, render: renderBody })
  const [state = '', ...reasons] = body.trim().split('\n')
  if (options.json) context.stdout.write(jsonText({ status, state, reasons }))
  else writeText(context, `${printable([state, ...reasons.map((it) => `  ${it}`)].join('\n'))}\n`)
  return status === 200 ? exitCodes.ok : exitCodes.failed
}
