import { jsonText } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { writeText } from '../../cli/terminal.ts'
import { get, type Outcome } from '../../client/calls.ts'
import { readEnvelope } from '../../client/envelope.ts'
import type { Component } from '../../contracts/component.ts'
import { basePath } from '../../contracts/route.ts'
import { object } from './cells.ts'
import { everyHost, isGood, type Sent } from './everyHost.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { renderOverview } from './renderOverview.ts'
import { servicePath } from './service.ts'
import { exitCodeOfAll } from './showResults.ts'

/** What a component answered of itself, and the manager of its service. */
export type Answered = { readonly result: Sent; readonly service?: unknown }

const statusPaths: Readonly<Record<Component, string>> = {
  manager: `${basePath}/manager/status`,
  connector: `${basePath}/connector/status`,
  replicator: `${basePath}/replicator/status`,
}

/** A component that has nothing to do on its host is in good order. */
const isIdle = (result: Sent): boolean =>
  'outcome' in result && 'problem' in result.outcome && result.outcome.problem.code === 'no-database'

function plain({ result, service }: Answered): object {
  if ('error' in result) {
    const { code, message, fix } = result.error
    return { error: { code, message, fix } }
  }
  const payload = object(readEnvelope(result.outcome.answer.body)?.payload)
  if ('problem' in result.outcome) return { problem: payload }
  return { status: payload, ...(service !== undefined && { service }) }
}

/** `tapi status`: every component of the host on one screen, those that do not answer with the reason. */
export async function overview(calls: readonly Call[]): Promise<ExitCode> {
  const [first] = calls
  if (first === undefined) return exitCodes.ok
  const { context, options } = first
  const { credentials } = await login(first)
  const known = calls.map((call) => ({
    ...call,
    caller: { ...call.caller, ...(credentials && { credentials }) },
  }))
  const services = new Map<Component, unknown>()
  const results = await everyHost(known, async (call): Promise<Outcome<unknown>> => {
    const { component } = call.target
    const status = await get(call.caller, statusPaths[component])
    if (component !== 'manager' || 'problem' in status) return status
    const { dataServiceName } = object(readEnvelope(status.value)?.payload)
    if (typeof dataServiceName !== 'string') return status
    const service = await get(call.caller, servicePath(dataServiceName))
    if (!('problem' in service)) services.set(component, object(readEnvelope(service.value)?.payload))
    return status
  })
  const answered = results.map((result) => ({ result, service: services.get(result.call.target.component) }))
  const bad = results.filter((result) => !isGood(result) && !isIdle(result))
  const code = exitCodeOfAll(bad)
  if (code === exitCodes.interrupted) return code
  if (options.json) {
    const members = answered.map((one) => [one.result.call.target.component, plain(one)])
    context.stdout.write(jsonText(Object.fromEntries(members)))
    return code
  }
  writeText(context, renderOverview(answered, context.stdout.columns))
  for (const [fix, kinds] of fixesOf(bad))
    context.stderr.write(printable(`fix (${kinds.join(', ')}): ${fix}\n`))
  return code
}

/** What to do about the components that did not answer, each advice once. */
function fixesOf(bad: readonly Sent[]): ReadonlyMap<string, readonly Component[]> {
  const fixes = new Map<string, readonly Component[]>()
  for (const result of bad) {
    if (!('error' in result)) continue
    const { fix } = result.error
    fixes.set(fix, [...(fixes.get(fix) ?? []), result.call.target.component])
  }
  return fixes
}
