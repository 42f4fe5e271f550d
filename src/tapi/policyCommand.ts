import { Argument } from 'commander'
import { jsonText } from '../base/json.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { send } from '../client/calls.ts'
import { type Policy, policies } from '../contracts/managerPayloads.ts'
import { managerRoutes, policyRoutes } from '../contracts/managerRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import type { Change } from './call/change.ts'
import { addConfirmationOptions } from './call/confirmation.ts'
import { findService, listServices } from './call/findService.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import { cell, payloadOf, renderTable, summarizeChange } from './call/render.ts'
import type { Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'

const allowed = ['manager'] as const

/** Actions of a manager under each policy. */
const policyDescriptions: Readonly<Record<Policy, string>> = {
  AUTOMATIC: 'monitors, fences failed data sources, brings them back, and replaces a lost primary',
  MANUAL: 'monitors and fences failed data sources',
  MAINTENANCE: 'only monitors',
}

const describePolicy = (policy: unknown): string | undefined =>
  policies.some((it) => it === policy) ? policyDescriptions[policy as Policy] : undefined

async function showPolicy(call: Call, service: string | undefined): Promise<ExitCode> {
  const known = { ...call, caller: await login(call) }
  const listed = service === undefined ? await listServices(known) : { services: [{ name: service }] }
  if ('problem' in listed) return showOutcome({ call, outcome: listed, render: () => '' })
  const found: { readonly name: string; readonly policy: unknown }[] = []
  for (const { name } of listed.services) {
    const outcome = await send(known.caller, callOf(managerRoutes.managerServiceStatus, { service: name }))
    if ('problem' in outcome) return showOutcome({ call, outcome, render: () => '' })
    found.push({ name, policy: payloadOf(outcome.value).policy })
  }
  const { stdout } = call.context
  if (call.options.json) {
    stdout.write(jsonText(Object.fromEntries(found.map(({ name, policy }) => [name, policy]))))
  } else {
    const rows = found.map(({ name, policy }) => [name, cell(policy), describePolicy(policy) ?? '-'])
    call.context.stdout.write(renderTable(['service', 'policy', 'the manager'], rows, stdout.columns))
  }
  return exitCodes.ok
}

const renderPolicy = (body: unknown): string => {
  const { name, policy, changed } = payloadOf(body)
  const meaning = describePolicy(policy)
  const word = changed === true ? 'changed' : 'unchanged'
  return `${cell(name)}: ${cell(policy)}${meaning === undefined ? '' : ` (${meaning})`}, ${word}\n`
}

const changePolicy = (policy: Policy, service: string | undefined): Change => ({
  command: `policy ${policy.toLowerCase()}`,
  shared: true,
  question: (where) => {
    const what = service === undefined ? 'the service' : service
    return `Set the policy of ${what} to ${policy} (${policyDescriptions[policy]}) on ${where}?`
  },
  request: async (call) => {
    const found = await findService(call, { service })
    return 'problem' in found ? found : callOf(policyRoutes[policy], found)
  },
  render: renderPolicy,
  summarize: summarizeChange,
})

export function definePolicy(command: CliCommand, { read, change }: Runner): void {
  addConfirmationOptions(command)
    .addArgument(
      new Argument('[policy]', 'policy to set; without it, show the current one').choices(
        policies.map((word) => word.toLowerCase()),
      ),
    )
    .option('--service <service>', 'name of the service, if there are several')
    .action((policy: Lowercase<Policy> | undefined, { service }: { readonly service?: string }) =>
      policy === undefined
        ? read(command, (call) => showPolicy(call, service), allowed)
        : change(command, () => changePolicy(policy.toUpperCase() as Policy, service), allowed),
    )
}
