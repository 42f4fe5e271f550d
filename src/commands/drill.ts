import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Option } from 'commander'
import { isConfirmed, requireConfirmation } from '../cli/ask.ts'
import { type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { fileExists, looksLikeHost } from '../cli/readConfigFiles.ts'
import { UsageError } from '../cli/usageError.ts'
import { writeNewFile, writeProblem } from '../cli/writeNewFile.ts'
import { joinReports } from '../client/clusterView.ts'
import { type DrillFault, drillFaults } from '../contracts/drilling.ts'
import { type DrillHost, orders } from '../deployment/drill/hostOrders.ts'
import { type DrillPlan, type DrillRefusal, othersOf, planDrill } from '../deployment/drill/planDrill.ts'
import { type DrillReport, runDrill } from '../deployment/drill/runDrill.ts'
import type { InstalledFacts } from '../deployment/facts/hostFacts.ts'
import { failureOf } from '../deployment/hostFailure.ts'
import { closeAll, installedFactsOnly } from '../deployment/survey.ts'
import { askStatus, managerOf } from '../deployment/switchPrimary.ts'
import {
  drillEndText,
  drillJson,
  drillMarkdown,
  drillMomentText,
  drillPlanText,
  drillQuestion,
  drillRefusalText,
  drillStepText,
  drillVerdict,
} from '../output/drillText.ts'
import { dryRunWords } from '../output/switchText.ts'
import { allHostsOptions, runOnFiles } from '../session/clusterOptions.ts'
import { connectHost, prepareConnections } from '../session/connectHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { exitOfUnreachable, failedOutcome, notStarted, reportUnreachable } from '../session/outcomes.ts'
import { lockWaitGiven, lockWaitOption } from '../session/runOptions.ts'
import { refuse } from '../session/runPlan.ts'
import { chooseService, namesOf, type SelectedCluster } from '../session/selectTargets.ts'
import type { SurveyedSession } from '../session/session.ts'
import { surveyReadOnly } from '../session/surveyReadOnly.ts'
import { withHosts } from '../session/withHosts.ts'

type DrillOptions = ClusterOptions & {
  readonly fault: DrillFault
  /** Null for that of the primary. */
  readonly host: string | null
  readonly report: string | undefined
  readonly lockWait: number
  readonly yes: boolean
  readonly dryRun: boolean
}

export const drillCommand: Define = (made, world) => {
  made
    .argument('[fault]', `${drillFaults.join(', ')} (default: kill)`)
    .argument('[host]', 'the host that it is done to (default: that of the primary)')
  const described = lockWaitOption(
    allHostsOptions(made)
      .addOption(
        new Option('--service <service>', 'the service, if several have databases').argParser((value) => [
          value,
        ]),
      )
      .option('--report <file>', 'write a report, as JSON where its name ends in .json, else as Markdown')
      .option('--dry-run', dryRunWords)
      .option('-y, --yes', 'do it without asking'),
  )
  return runOnFiles(described, world, (options) =>
    drill({
      ...{ ...options, ...wordsOf(options) },
      report: made.opts<{ report?: string }>().report,
      ...{ lockWait: lockWaitGiven(made), yes: flag(made, 'yes'), dryRun: flag(made, 'dryRun') },
    }),
  )
}

/** Returns fault, host and files of the arguments, each of the first two if it is given. */
function wordsOf({ files, context }: ClusterOptions): Pick<DrillOptions, 'fault' | 'host' | 'files'> {
  const [first = '', ...others] = files
  const given = drillFaults.find((it) => it === first)
  const [host = '', ...rest] = given === undefined ? files : others
  const isHost = looksLikeHost(host) && !fileExists(resolve(context.cwd, host))
  return {
    fault: given ?? 'kill',
    ...(isHost ? { host, files: rest } : { host: null, files: given === undefined ? files : others }),
  }
}

type Known = DrillOptions & { readonly config: SelectedCluster; readonly service: string }

/** Makes a fault on the operator's own cluster, and proves what was lost. */
async function drill(options: DrillOptions): Promise<ExitCode> {
  const { context, host, yes, dryRun } = options
  const opened = (await openCluster(options)).config
  const service = chooseService(opened, options.targets?.services ?? [])
  const hosts = opened.hosts.filter(({ services }) => services.includes(service))
  if (host !== null && hosts.every(({ name }) => name !== host)) {
    const known = hosts.map(({ name }) => name).join(', ')
    throw new UsageError(`${host} is no host of ${service}, and no fault.`, `Its hosts are: ${known}.`)
  }
  requireConfirmation(context, { yes: yes || dryRun, command: 'drill', previewCommand: null })
  const known = { ...options, service, config: { ...opened, hosts } }
  if (dryRun) return showPlan(known)
  const { config } = known
  return withHosts({
    ...{ ...options, config, operation: 'drill', json: false, scope: installedFactsOnly, requires: 'all' },
    work: (session) => decideAndDrill(known, session),
  })
}

/** Shows what would be done; no host is locked. */
async function showPlan(known: Known): Promise<ExitCode> {
  const { context, config, service } = known
  await prepareConnections(context, config.hosts)
  const { survey } = await surveyReadOnly(context, config, installedFactsOnly)
  try {
    reportUnreachable(context, survey.unreachable)
    if (survey.unreachable.length > 0) return exitOfUnreachable(survey.unreachable)
    const plan = await decide(known, survey.reached)
    if ('fault' in plan) context.stdout.write(drillPlanText(plan))
    else context.stderr.write(drillRefusalText(service, plan))
    return 'fault' in plan ? exitCodes.ok : exitCodes.failed
  } finally {
    await closeAll(survey)
  }
}

const hasManager = ({ host }: DrillHost): boolean =>
  host.apis.some(({ component }) => component === 'manager')

/** Reads what managers and servers say, and returns the plan or why there is none. */
async function decide(
  { service, fault, host, config }: Known,
  reached: readonly DrillHost[],
): Promise<DrillPlan | readonly DrillRefusal[]> {
  const managers = reached.filter(hasManager)
  const reports = await Promise.all(managers.map((it) => askStatus(managerOf(it, config), service)))
  const view = joinReports(reports).find(({ name }) => name === service)
  const struck = host ?? view?.writer?.datasource
  const servers = view?.datasources.map(({ name }) => name) ?? []
  const look = async (name: string) => {
    const at = managers.find((it) => it.host.name === name)
    if (!at) return { reason: 'it has no manager that could be asked', fix: 'Install it: `muster install`.' }
    const others = name === struck ? othersOf(name, { ...config, service }) : []
    return orders.look(at, { ...(name === struck && { fault }), others }).catch((error: unknown) => {
      const { message: reason, fix } = failureOf(error)
      return { reason, fix }
    })
  }
  const sights = new Map(await Promise.all(servers.map(async (name) => [name, await look(name)] as const)))
  return planDrill({ ...config, service, fault, host, reports, sights })
}

async function decideAndDrill(known: Known, session: SurveyedSession<InstalledFacts>): Promise<ExitCode> {
  const { context, service, yes } = known
  const { run, survey } = session
  const plan = await decide(known, survey.reached)
  const stop = async (message: string): Promise<ExitCode> => {
    await refuse(session, { failed: [], reported: true, message })
    return exitCodes.failed
  }
  if (!('fault' in plan)) return stop(drillRefusalText(service, plan).trimEnd())
  context.stdout.write(drillPlanText(plan))
  if (!(await isConfirmed(context, { yes, question: drillQuestion(plan), run }))) {
    return stop('Nothing was changed.')
  }
  if (!(await run.hooks.begin([{ host: plan.host, steps: ['drill'] }]))) return stop('Nothing was changed.')
  await run.begin()
  const started = context.now()
  const { recorder } = run
  const { host } = plan
  recorder.observe({ type: 'phase-started', host, phase: 'commit' })
  try {
    const report = await follow(known, session, plan)
    const seconds = (context.now().getTime() - started.getTime()) / 1000
    recorder.observe({ type: 'step-done', host, step: 'drill', title: `drill: ${plan.fault}`, seconds })
    return await end(known, session, { report, started })
  } catch (error) {
    const interrupted = context.signal.aborted
    const failed = error === context.signal.reason ? [] : [failedOutcome(host, failureOf(error))]
    const message = 'The drill ended before its proof.'
    return refuse(session, { failed, reported: false, interrupted, message })
  }
}

/** Makes the drill, and prints what happens. */
async function follow(
  { context, config }: Known,
  { survey }: SurveyedSession<InstalledFacts>,
  plan: DrillPlan,
): Promise<DrillReport> {
  const { stdout, stderr, signal } = context
  const writer = survey.reached.find(({ host }) => host.name === plan.through.host)
  if (!writer) throw new Error('the host of the writers was not reached')
  const stopping = (): void => {
    stderr.write('stopping: the fault is undone, and the service is followed until it is whole again\n')
  }
  signal.addEventListener('abort', stopping, { once: true })
  return runDrill({
    ...{ plan, writer, cluster: config.cluster, hosts: survey.reached.filter(hasManager), signal },
    connect: () => connectHost(context, writer.host),
    onStep: (step) => stdout.write(`${drillStepText(step, plan)}\n`),
    onMoment: (moment, seen) => {
      stdout.write(`${drillMomentText(moment, { ...seen, host: plan.host })}\n`)
    },
    clock: { now: () => performance.now(), wait },
    now: context.now,
  }).finally(() => signal.removeEventListener('abort', stopping))
}

/** Prints and writes the report, and returns the exit code. */
async function end(
  { context, config, report: file }: Known,
  { run, renderer }: SurveyedSession<InstalledFacts>,
  { report, started }: { readonly report: DrillReport; readonly started: Date },
): Promise<ExitCode> {
  const { host, fault } = report.plan
  const text = drillEndText(report)
  context.stdout.write(text.out)
  context.stderr.write(text.err)
  const verdict = drillVerdict(report)
  const outcomes = namesOf(config.hosts).map((name) => {
    if (name !== host) return notStarted(name)
    return { host, result: 'changed', applied: [`drill: ${fault}`], seconds: {} } as const
  })
  renderer.emit({ type: 'run-ended', outcomes, interrupted: report.interrupted })
  const isWritten = await writeReport()
  if (verdict === 'lost') return exitCodes.failed
  if (report.interrupted) return exitCodes.interrupted
  if (verdict === 'incomplete') {
    run.setShortcoming('not all is as it was before')
    return exitCodes.incomplete
  }
  return isWritten ? exitCodes.ok : exitCodes.failed

  async function writeReport(): Promise<boolean> {
    if (file === undefined) return true
    const about = { cluster: config.cluster, started, version: context.version }
    const write = file.endsWith('.json') ? drillJson : drillMarkdown
    const outcome = await writeNewFile({
      ...{ path: resolve(context.cwd, file), text: write(report, about), force: true },
    })
    if (outcome === 'written' || outcome === 'exists') return true
    const { message, fix } = writeProblem(outcome, { file, example: 'drill.md' })
    context.stderr.write(`error: ${message}\n  fix: ${fix}\n`)
    return false
  }
}
