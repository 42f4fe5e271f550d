import { Argument } from 'commander'
import { jsonText } from '../base/json.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { withGuard } from '../client/apiPath.ts'
import { get } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import type { Change } from './call/change.ts'
import { addConfirmationOptions } from './call/confirmation.ts'
import { controlPath, findService, listServices, servicePath } from './call/findService.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import { cell, object, renderTable, summarizeChange } from './call/render.ts'
import type { Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'

const allowed = ['manager'] as const

const policyWords = ['automatic', 'manual', 'maintenance'] as const

type PolicyWord = (typeof policyWords)[number]

/** Actions of a manager under each policy. */
const policyDescriptions: Readonly<Record<string, string>> = {
  AUTOMATIC: 'monitors, fences failed data sources, brings them back, and replaces a lost primary',
  MANUAL: 'monitors and fences failed data sources',
  MAINTENANCE: 'only monitors',
}

async function showPolicy(call: Call, service: string | undefined): Promise<ExitCode> {
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
    const rows = found.map(({ name, policy }) => [
      name,
      cell(policy),
      policyDescriptions[cell(policy)] ?? '-',
    ])
    call.context.stdout.write(renderTable(['service', 'policy', 'the manager'], rows, stdout.columns))
  }
  return exitCodes.ok
}

const renderPolicy = (body: unknown): string => {
  const { name, policy, changed } = object(readEnvelope(body)?.payload)
  const meaning = policyDescriptions[cell(policy)]
  const word = changed === true ? 'changed' : 'unchanged'
  return `${cell(name)}: ${cell(policy)}${meaning === undefined ? '' : ` (${meaning})`}, ${word}\n`
}

const changePolicy = (policy: PolicyWord, service: string | undefined): Change => ({
  command: `policy ${policy}`,
  shared: true,
  question: (where) => {
    const what = service === undefined ? 'the service' : service
    return `Set the policy of ${what} to ${policy.toUpperCase()} (${policyDescriptions[policy.toUpperCase()]}) on ${where}?`
  },
  request: async (call) => {
    const found = await findService(call, { service })
    if ('problem' in found) return found
    return { path: withGuard(`${controlPath(found.service)}/policy/${policy}`) }
  },
  render: renderPolicy,
  summarize: summarizeChange,
})

export function definePolicy(command: CliCommand, { read, change }: Runner): void {
  addConfirmationOptions(command)
    .addArgument(
      new Argument('[policy]', 'policy to set; without it, show the current one').choices(policyWords),
    )
    .option('--service <service>', 'name of the service, if there are several')
    .action((policy: PolicyWord | undefined, { service }: { readonly service?: string }) =>
      policy === undefined
        ? read(command, (call) => showPolicy(call, service), allowed)
        : change(command, () => changePolicy(policy, service), allowed),
    )
}
