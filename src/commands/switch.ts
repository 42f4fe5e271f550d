import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Option } from 'commander'
import { jsonText } from '../base/json.ts'
import { isConfirmed, requireConfirmation } from '../cli/ask.ts'
import { choicesOption, type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes, exitOfSwitch } from '../cli/exitCodes.ts'
import { lineLayout } from '../cli/terminal.ts'
import { eachStep, type SwitchPlan } from '../client/switchTask.ts'
import { acceptableReasons } from '../contracts/choices.ts'
import type { SwitchOperation } from '../contracts/managerPayloads.ts'
import { closeAll, installedFactsOnly } from '../deployment/survey.ts'
import {
  type ComingManager,
  chooseManager,
  type HostProblem,
  type ManagerOfHost,
  managerOf,
  readSwitchPlanOf,
  type SwitchEnd,
  switchPrimary,
} from '../deployment/switchPrimary.ts'
import { failuresText, type HostFailure } from '../output/deployment/failureText.ts'
import {
  acceptWords,
  candidateWords,
  dryRunWords,
  lossText,
  switchEndText,
  switchPlanText,
  switchQuestion,
  switchRefusalLines,
  switchStepText,
} from '../output/switchText.ts'
import { allHostsOptions, runOnFiles } from '../session/clusterOptions.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { withSwitchHooks } from '../session/hooks/switchHooks.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { chooseService, type SelectedCluster } from '../session/selectTargets.ts'
import { surveyEach, withShortTimeout } from '../session/surveyReadOnly.ts'

type SwitchOptions = ClusterOptions & {
  readonly operation: SwitchOperation
  readonly to: string | undefined
  readonly accept: readonly string[]
  readonly yes: boolean
  readonly dryRun: boolean
  readonly json: boolean
}

/** Returns the definition of the command of an operation. */
const commandOf =
  (operation: SwitchOperation): Define =>
  (made, world) =>
    runOnFiles(
      allHostsOptions(made)
        .option('--to <datasource>', `the new primary (default: ${candidateWords[operation]})`)
        .addOption(
          new Option('--service <service>', 'the service, if several have databases').argParser((value) => [
            value,
          ]),
        )
        .addOption(choicesOption('--accept <reason>', acceptWords, acceptableReasons))
        .option('--dry-run', dryRunWords)
        .option('-y, --yes', 'do it without asking')
        .option('--json', 'print the result as JSON'),
      world,
      (options) =>
        switchOverHosts({
          ...options,
          operation,
          dryRun: flag(made, 'dryRun'),
          to: made.opts<{ to?: string }>().to,
          accept: made.opts<{ accept?: string[] }>().accept ?? [],
          yes: flag(made, 'yes'),
          json: flag(made, 'json'),
        }),
    )

export const switchCommand = commandOf('switch')

export const failoverCommand = commandOf('failover')

/** Has a manager make another data source the primary, over SSH and its socket. */
async function switchOverHosts(options: SwitchOptions): Promise<ExitCode> {
  const { context, operation, yes, dryRun } = options
  const { config } = await openCluster(options)
  const service = chooseService(config, options.targets?.services ?? [])
  requireConfirmation(context, { yes: yes || dryRun, command: operation, previewCommand: null })
  const hosts = config.hosts.filter(
    (host) => host.services.includes(service) && host.apis.some(({ component }) => component === 'manager'),
  )
  const members: SelectedCluster = { ...config, hosts }
  await prepareConnections(context, withShortTimeout(members).hosts)
  // The connections to the ports of the APIs, which are opened early for other commands, are of no use here.
  const surveys = await surveyEach(context, members, { facts: installedFactsOnly.facts })
  const managers = surveys.map(({ host, survey }) => ({
    host,
    manager: survey.then(({ reached: [it], unreachable: [away] }) =>
      it ? managerOf(it, { cluster: config.cluster }) : { host, problem: away?.failure.message ?? '' },
    ),
  }))
  try {
    return await decideAndSwitch({ ...options, service, config: members, managers })
  } finally {
    // A host that is away is not waited for.
    for (const { survey } of surveys) void survey.then(closeAll)
  }
}

type Known = SwitchOptions & {
  readonly config: SelectedCluster
  readonly service: string
  readonly managers: readonly ComingManager[]
}

async function decideAndSwitch(known: Known): Promise<ExitCode> {
  const { context, operation, service, to, accept, yes, dryRun, json, managers } = known
  const chosen = await chooseManager({ operation, service, to, managers })
  if (!('call' in chosen)) return reportStops(known, { problems: chosen })
  const plan = await readSwitchPlanOf(chosen, { operation, service, to, accept })
  if (typeof plan === 'string')
    return reportStops(known, { problems: [{ host: chosen.host, problem: plan }] })
  if (!json) {
    const led = `, led by the manager of ${chosen.host}\n`
    context.stdout.write(`${switchPlanText(plan)}${led}${lossText(plan)}`)
  }
  const { from, to: target } = plan
  if (plan.refusals.length > 0 || from === null || target === null) return reportStops(known, { plan })
  if (dryRun) {
    if (json) context.stdout.write(jsonText({ cluster: known.config.cluster, service, plan }))
    return exitCodes.ok
  }
  const question = switchQuestion(operation, plan)
  if (!(await isConfirmed(context, { yes, question }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  return withSwitchHooks(context, { operation, config: known.config, hosts: [from, target] }, () =>
    followSwitch(known, { plan, to: target, manager: chosen }),
  )
}

/** Makes the switch and follows it to its end. */
async function followSwitch(
  known: Known,
  { plan, to, manager }: { readonly plan: SwitchPlan; readonly to: string; readonly manager: ManagerOfHost },
): Promise<ExitCode> {
  const { context, operation, service, accept, json } = known
  const showStep = eachStep((task) => {
    if (!json) context.stdout.write(`${switchStepText(task, plan)}\n`)
  })
  const stopping = (): void => {
    context.stderr.write(`stopping: a ${operation} that was begun is followed to its end, for 8 s at most\n`)
  }
  context.signal.addEventListener('abort', stopping, { once: true })
  const end = await switchPrimary({
    ...{ operation, manager, service, to, accept },
    id: randomUUID(),
    onTask: showStep,
    clock: { now: () => performance.now(), wait },
    signal: context.signal,
  }).finally(() => context.signal.removeEventListener('abort', stopping))
  return report(known, { plan, coordinator: manager.host }, end)
}

/** Prints why nothing was done: hosts whose managers cannot lead it, or what the manager says against it. */
function reportStops(
  { context, config, operation, service, json }: Known,
  { problems = [], plan }: { readonly problems?: readonly HostProblem[]; readonly plan?: SwitchPlan },
): ExitCode {
  const { stdout, stderr } = context
  const code = plan === undefined ? exitCodes.unreachable : exitCodes.failed
  if (json) {
    stdout.write(
      jsonText({ cluster: config.cluster, service, plan, ...(plan === undefined && { refused: problems }) }),
    )
    return code
  }
  if (plan === undefined) {
    const failures = problems.map(
      ({ host, problem }): HostFailure => ({
        host,
        failure: {
          code: 'not-switched',
          message: problem,
          fix: `Start a manager of ${service}, and try again.`,
        },
      }),
    )
    stderr.write(`${failuresText(failures, lineLayout(context, stderr))}Nothing was changed.\n`)
    return code
  }
  const lines = switchRefusalLines(plan)
  const words = lines.length > 0 ? lines : [`${service}: there is nothing to switch`]
  stderr.write(
    `error: The ${operation} is refused; nothing was changed.\n${words.map((line) => `  ${line}\n`).join('')}`,
  )
  return code
}

/** Prints how the switch ended and returns the exit code. */
function report(
  { context, config, operation, json }: Known,
  { plan, coordinator }: { readonly plan: SwitchPlan; readonly coordinator: string },
  end: SwitchEnd,
): ExitCode {
  const { stdout, stderr } = context
  const code = context.signal.aborted ? exitCodes.interrupted : exitOf(end)
  if (json) {
    stdout.write(jsonText({ cluster: config.cluster, service: plan.service, coordinator, plan, ...end }))
    return code
  }
  const text = switchEndText(end, { operation, coordinator })
  stdout.write(text.out)
  stderr.write(text.err)
  return code
}

function exitOf(end: SwitchEnd): ExitCode {
  if (end.kind === 'lost') return exitCodes.unreachable
  return end.kind === 'ended' ? exitOfSwitch(end.task.state) : exitCodes.failed
}
