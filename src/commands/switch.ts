import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Option } from 'commander'
import { jsonText } from '../base/json.ts'
import { listOf } from '../base/words.ts'
import { isConfirmed, requireConfirmation } from '../cli/ask.ts'
import { choicesOption, type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes, exitOfSwitch } from '../cli/exitCodes.ts'
import { lineLayout } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { eachStep, type SwitchPlan } from '../client/switchTask.ts'
import type { ClusterConfig } from '../config/model.ts'
import { acceptableReasons } from '../contracts/choices.ts'
import type { SwitchOperation } from '../contracts/managerPayloads.ts'
import {
  type AwayManager,
  chooseCoordinator,
  managerOf,
  readSwitchPlanOf,
  type SwitchSurvey,
  surveySwitch,
} from '../deployment/prepareSwitch.ts'
import { closeAll, installedFactsOnly } from '../deployment/survey.ts'
import {
  type HostProblem,
  type ManagerOfHost,
  type SwitchEnd,
  type SwitchOutcome,
  switchPrimary,
} from '../deployment/switchPrimary.ts'
import { disagreements } from '../output/clusterText.ts'
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
  waitText,
} from '../output/switchText.ts'
import { allHostsOptions, runOnFiles } from '../session/clusterOptions.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { withSwitchHooks } from '../session/hooks/switchHooks.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import type { SelectedCluster } from '../session/selectTargets.ts'
import { surveyReadOnly, withShortTimeout } from '../session/surveyReadOnly.ts'

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

/** Makes another data source the primary, over SSH and the sockets of the managers. */
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
  const { survey } = await surveyReadOnly(context, members, { facts: installedFactsOnly.facts })
  try {
    const away = survey.unreachable.map(
      ({ host, failure, unreachable }): AwayManager => ({
        host: host.name,
        problem: failure.message,
        isUnreachable: unreachable,
      }),
    )
    const managers = survey.reached.map((surveyed) => managerOf(surveyed, { cluster: config.cluster }))
    return await decideAndSwitch({ ...options, config: members, service, away, managers })
  } finally {
    await closeAll(survey)
  }
}

/** Returns the only service with data sources, or the named one. Throws a `UsageError`. */
function chooseService({ cluster, services }: ClusterConfig, given: readonly string[]): string {
  const known = services.filter(({ datasources }) => datasources.length > 0).map(({ name }) => name)
  const [first, ...others] = given.length === 0 ? known : known.filter((name) => given.includes(name))
  if (first !== undefined && others.length === 0) return first
  if (first === undefined) {
    throw new UsageError(
      `${given.length === 0 ? `No service of ${cluster}` : `The service ${given.join(', ')}`} has databases.`,
      'Set the database options: see `muster explain datasource-type`.',
    )
  }
  throw new UsageError(
    `${cluster} has several services with databases: ${listOf(known)}.`,
    `Choose one: --service ${first}`,
  )
}

type Known = SwitchOptions & {
  readonly config: SelectedCluster
  readonly service: string
  readonly away: readonly AwayManager[]
  readonly managers: readonly ManagerOfHost[]
}

async function decideAndSwitch(known: Known): Promise<ExitCode> {
  const { context, operation, service, to, accept, yes, dryRun, json } = known
  const found = await surveySwitch(known)
  const { view, parts } = found
  const stopped = stopsOf(found)
  if (view === undefined || stopped.problems.length > 0 || stopped.lines.length > 0) {
    return reportStops(known, stopped)
  }
  const coordinator = chooseCoordinator(found, to)
  if (coordinator === undefined) return reportStops(known, stopped)
  const plan = await readSwitchPlanOf(coordinator, { operation, service, to, accept })
  if (typeof plan === 'string') {
    const problem = { host: coordinator.host, problem: plan, isUnreachable: false }
    return reportStops(known, { lines: [], problems: [problem] })
  }
  if (!json) {
    const led = `, led by the manager of ${coordinator.host}\n`
    context.stdout.write(`${switchPlanText(plan)}${led}${lossText(plan)}`)
  }
  const { from, to: chosen } = plan
  if (plan.refusals.length > 0 || from === null || chosen === null) {
    const lines = switchRefusalLines(plan)
    return reportStops(
      known,
      { lines: lines.length > 0 ? lines : [`${service}: there is nothing to switch`], problems: [] },
      plan,
    )
  }
  if (dryRun) {
    if (json) context.stdout.write(jsonText({ cluster: known.config.cluster, service, plan }))
    return exitCodes.ok
  }
  const question = switchQuestion(operation, plan)
  if (!(await isConfirmed(context, { yes, question }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  return withSwitchHooks(context, { operation, config: known.config, hosts: [from, chosen] }, () =>
    followSwitch(known, { plan, from, to: chosen, coordinator, parts }),
  )
}

/** Makes the switch and follows it to its end. */
async function followSwitch(
  known: Known,
  chosen: {
    readonly plan: SwitchPlan
    readonly from: string
    readonly to: string
    readonly coordinator: ManagerOfHost
    readonly parts: readonly ManagerOfHost[]
  },
): Promise<ExitCode> {
  const { context, operation, json } = known
  const { plan, from, to, coordinator, parts } = chosen
  const showStep = eachStep((task) => {
    if (!json) context.stdout.write(`${switchStepText(task, plan)}\n`)
  })
  const stopping = (): void => {
    context.stderr.write(`stopping: a ${operation} that was begun is followed to its end, for 8 s at most\n`)
  }
  context.signal.addEventListener('abort', stopping, { once: true })
  const outcome = await switchPrimary({
    operation,
    coordinator,
    others: parts.filter((one) => one !== coordinator),
    plan: { ...plan, from, to },
    accept: known.accept,
    id: randomUUID(),
    onTask: showStep,
    clock: { now: () => performance.now(), wait },
    signal: context.signal,
  }).finally(() => context.signal.removeEventListener('abort', stopping))
  return report(known, { plan, coordinator: coordinator.host, isAlone: parts.length === 1 }, outcome)
}

/** Reasons not to switch: in words, and by host. */
type Stops = { readonly lines: readonly string[]; readonly problems: readonly AwayManager[] }

/** Adds to the hosts that cannot take part what managers disagree on. */
function stopsOf({ view, problems }: SwitchSurvey): Stops {
  const lines = view === undefined ? [] : disagreements({ ...view, datasources: [] }, ['writer'])
  return {
    problems,
    lines: problems.length === 0 && view?.managers.length === 0 ? ['no manager answers'] : lines,
  }
}

function reportStops(known: Known, { lines, problems }: Stops, plan?: SwitchPlan): ExitCode {
  const { context, config, service, json } = known
  const { stdout, stderr } = context
  const code = problems.some(({ isUnreachable }) => isUnreachable) ? exitCodes.unreachable : exitCodes.failed
  if (json) {
    const refused = [
      ...problems.map(({ host, problem }) => ({ host, problem })),
      ...lines.map((problem) => ({ problem })),
    ]
    stdout.write(jsonText({ cluster: config.cluster, service, plan, ...(plan === undefined && { refused }) }))
    return code
  }
  stderr.write(problemsText(context, problems, shunFix))
  const words = lines.map((line) => `  ${line}\n`).join('')
  stderr.write(
    lines.length === 0
      ? 'Nothing was changed.\n'
      : `error: The ${known.operation} is refused; nothing was changed.\n${words}`,
  )
  return code
}

const shunFix =
  'Bring the host back, or shun its data source with `tapi datasource shun`: it then goes on without it.'

function problemsText(context: CommandContext, problems: readonly HostProblem[], fix: string): string {
  const failures = problems.map(
    ({ host, problem }): HostFailure => ({
      host,
      failure: { code: 'not-switched', message: problem, fix },
    }),
  )
  return failuresText(failures, lineLayout(context, context.stderr))
}

/** Prints how the switch ended and returns the exit code. */
function report(
  { context, config, operation, json }: Known,
  at: { readonly plan: SwitchPlan; readonly coordinator: string; readonly isAlone: boolean },
  { end, isReleased, unreleased, heldMilliseconds }: SwitchOutcome,
): ExitCode {
  const { stdout, stderr } = context
  const { plan, coordinator } = at
  const code = context.signal.aborted ? exitCodes.interrupted : exitOf(end, unreleased)
  if (json) {
    const held = at.isAlone ? {} : { heldMillisecondsOfOtherHosts: Math.round(heldMilliseconds) }
    stdout.write(
      jsonText({
        cluster: config.cluster,
        service: plan.service,
        coordinator,
        plan,
        ...end,
        ...held,
        isReleased,
        unreleased,
      }),
    )
    return code
  }
  const others = at.isAlone ? '' : `, those of other hosts ${waitText(heldMilliseconds)}`
  if (end.kind === 'not-held') stderr.write(problemsText(context, end.problems, shunFix))
  const text = switchEndText(end, { operation, coordinator, others })
  context.stdout.write(text.out)
  stderr.write(text.err)
  if (!isReleased && !at.isAlone) {
    stderr.write(
      'note: clients of the other hosts wait up to 8 s more; then their managers go by the servers\n',
    )
  }
  stderr.write(
    problemsText(
      context,
      unreleased.map(({ host, problem }) => ({
        host,
        problem: `was not told the end of the ${operation}: ${problem}`,
      })),
      'Nothing to do at once: its clients wait 8 s at most. If its manager stays away, see `muster status`.',
    ),
  )
  return code
}

function exitOf(end: SwitchEnd, unreleased: readonly HostProblem[]): ExitCode {
  if (end.kind === 'lost') return exitCodes.unreachable
  if (end.kind !== 'ended' || unreleased.length > 0) return exitCodes.failed
  return exitOfSwitch(end.task.state)
}
