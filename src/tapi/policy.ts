import { jsonText } from '../base/json.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { writeText } from '../cli/terminal.ts'
import { guarded } from '../client/apiPath.ts'
import { get } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import { type Change, refusalToTell } from './change.ts'
import { findService, listServices } from './findService.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { briefly, cell, object, renderTable } from './render.ts'
import { controlPath, servicePath } from './service.ts'
import { showOutcome } from './showResults.ts'

/** The policies, as paths and people write them. */
export const policyWords = ['automatic', 'manual', 'maintenance'] as const

export type PolicyWord = (typeof policyWords)[number]

/** What a manager does by itself under each policy. */
const meanings: Readonly<Record<string, string>> = {
  AUTOMATIC: 'monitors, fences failed data sources and brings them back',
  MANUAL: 'monitors and fences failed data sources',
  MAINTENANCE: 'only monitors',
}

/** `tapi policy`: the policy of every service, or of one. */
export async function showPolicy(call: Call, service: string | undefined): Promise<ExitCode> {
  const known = { ...call, caller: await login(call) }
  const listed = service === undefined ? await listServices(known) : { services: [{ name: service }] }
  if ('problem' in listed) return showOutcome({ call, outcome: listed, render: () => '' })
  const found: { readonly name: string; readonly policy: unknown }[] = []
  for (const { name } of listed.services) {
    const outcome = await get(known.caller, servicePath(name))
    if ('problem' in outcome) return showOutcome({ call, outcome, render: () => '' })
    found.push({ name, policy: object(readEnvelope(outcome.value)?.payload).policy })
  }
  const { stdout } = call.context
  if (call.options.json) {
    stdout.write(jsonText(Object.fromEntries(found.map(({ name, policy }) => [name, policy]))))
  } else {
    const rows = found.map(({ name, policy }) => [name, cell(policy), meanings[cell(policy)] ?? '-'])
    writeText(call.context, renderTable(['service', 'policy', 'the manager'], rows, stdout.columns))
  }
  return exitCodes.ok
}

const renderPolicy = (body: unknown): string => {
  const { name, policy, changed } = object(readEnvelope(body)?.payload)
  const meaning = meanings[cell(policy)]
  const word = changed === true ? 'changed' : 'unchanged'
  return `${cell(name)}: ${cell(policy)}${meaning === undefined ? '' : ` (${meaning})`}, ${word}\n`
}

/** `tapi policy automatic|manual|maintenance`: what the manager of the host does by itself. */
export const changePolicy = (policy: PolicyWord, service: string | undefined): Change => ({
  command: `policy ${policy}`,
  local: true,
  question: (where) => {
    const what = service === undefined ? 'the service' : service
    return `Set the policy of ${what} to ${policy.toUpperCase()} (${meanings[policy.toUpperCase()]}) on ${where}?`
  },
  forecast: async (call) => (service === undefined ? undefined : refusalToTell(call, servicePath(service))),
  order: async (call) => {
    const found = await findService(call, { service })
    if ('problem' in found) return found
    return { path: guarded(`${controlPath(found.service)}/policy/${policy}`) }
  },
  render: renderPolicy,
  brief: briefly,
})
