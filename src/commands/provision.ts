import { setTimeout as wait } from 'node:timers/promises'
import { jsonText } from '../base/json.ts'
import { isConfirmed, requireConfirmation } from '../cli/ask.ts'
import { type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { lineLayout } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import type { SeenService } from '../client/clusterView.ts'
import { refusalOf } from '../client/refusalOfSource.ts'
import type { ProvisionProgress } from '../contracts/provisioning.ts'
import type { InstalledFacts } from '../deployment/facts/hostFacts.ts'
import { failureOf, isUnreachable } from '../deployment/hostFailure.ts'
import {
  changeState,
  chooseSource,
  type DatabaseHost,
  describeDatabase,
  provision,
  refuseUnfit,
} from '../deployment/provision.ts'
import { StepError } from '../deployment/stepError.ts'
import { closeAll, installedFactsOnly, type SurveyedHost } from '../deployment/survey.ts'
import { askStatus, type HostProblem, type ManagerOfHost, managerOf } from '../deployment/switchPrimary.ts'
import { failureText } from '../output/deployment/failureText.ts'
import {
  copiedText,
  provisionEndText,
  provisionPlanText,
  provisionQuestion,
  provisionStepText,
} from '../output/provisionText.ts'
import { allHostsOptions, runOnFiles } from '../session/clusterOptions.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { surveyEach, withShortTimeout } from '../session/surveyReadOnly.ts'

type ProvisionOptions = ClusterOptions & {
  readonly host: string
  readonly from: string | undefined
  readonly yes: boolean
  readonly dryRun: boolean
  readonly json: boolean
}

export const provisionCommand: Define = (made, world) => {
  allHostsOptions(made.argument('<host>', 'the host whose database is made anew'))
    .option(
      '--from <host>',
      'the host that it is copied from (default: a replica that is ONLINE, else the primary)',
    )
    .option('--dry-run', 'show what would be copied and what speaks against it; change nothing')
    .option('-y, --yes', 'do it without asking')
    .option('--json', 'print the result as JSON')
  return runOnFiles(made, world, (options) => {
    const [host = '', ...files] = options.files
    return provisionHost({
      ...{ ...options, host, files, from: made.opts<{ from?: string }>().from },
      ...{ yes: flag(made, 'yes'), dryRun: flag(made, 'dryRun'), json: flag(made, 'json') },
    })
  })
}

type Reached = SurveyedHost<InstalledFacts>

/** Makes the database of a host anew from that of another one, over SSH and the channel between them. */
async function provisionHost(options: ProvisionOptions): Promise<ExitCode> {
  const { context, host: name, yes, dryRun } = options
  const { config } = await openCluster(options)
  const target = config.hosts.find((it) => it.name === name)
  if (target === undefined) {
    const known = config.hosts.map((it) => it.name).join(', ')
    throw new UsageError(`${name} is no host of ${config.cluster}.`, `Its hosts are: ${known}.`)
  }
  requireConfirmation(context, { yes: yes || dryRun, command: 'provision', previewCommand: null })
  const hosts = config.hosts.filter(({ services }) => services.some((it) => target.services.includes(it)))
  await prepareConnections(context, withShortTimeout({ ...config, hosts }).hosts)
  const surveys = await surveyEach(context, { ...config, hosts }, { facts: installedFactsOnly.facts })
  const reach = async (wanted: string): Promise<Reached> => {
    const { reached, unreachable } = (await surveys.find(({ host }) => host === wanted)?.survey) ?? {
      reached: [],
      unreachable: [],
    }
    if (reached[0]) return reached[0]
    const { code, message, fix } = unreachable[0]?.failure ?? {
      ...{ code: 'not-provisioned' as const, message: 'it is no host of the service' },
      fix: 'Choose another host with --from.',
    }
    throw new StepError({ host: wanted, code, message, fix })
  }
  const others = async (): Promise<readonly ManagerOfHost[]> => {
    const found = await Promise.all(surveys.map(({ survey }) => survey))
    return found
      .flatMap(({ reached }) => reached)
      .filter(({ host }) => host !== target && host.apis.some(({ component }) => component === 'manager'))
      .map((it) => managerOf(it, config))
  }
  try {
    const { services } = target
    return await decideAndProvision({ ...options, cluster: config.cluster, services }, { reach, others })
  } catch (error) {
    const host = error instanceof StepError ? error.host : name
    const layout = lineLayout(context, context.stderr)
    context.stderr.write(failureText({ host, failure: failureOf(error), ...layout }))
    if (context.signal.aborted) return exitCodes.interrupted
    return isUnreachable(error) ? exitCodes.unreachable : exitCodes.failed
  } finally {
    // A host that is away is not waited for.
    for (const { survey } of surveys) void survey.then(closeAll)
  }
}

type Known = ProvisionOptions & { readonly cluster: string; readonly services: readonly string[] }

const refused = (host: string, message: string, fix: string): StepError =>
  new StepError({ host, code: 'not-provisioned', message, fix })

/** Returns the service whose data source the host is, as its manager sees it. Rejects with a `StepError`. */
async function serviceOf(reached: Reached, { cluster, services }: Known): Promise<SeenService> {
  const { name } = reached.host
  const manager = managerOf(reached, { cluster })
  const reports = await Promise.all(services.map((service) => askStatus(manager, service)))
  const seen = reports
    .flatMap((it) => it.services)
    .find(({ datasources }) => datasources.some((it) => it.name === name))
  if (seen) return seen
  const why = reports.find(({ reason }) => reason !== undefined)?.reason ?? 'it has no data source'
  throw refused(name, why, 'Start its manager: `muster start`.')
}

async function decideAndProvision(
  known: Known,
  {
    reach,
    others,
  }: {
    readonly reach: (host: string) => Promise<Reached>
    /** The managers of all other hosts that can be reached. */
    readonly others: () => Promise<readonly ManagerOfHost[]>
  },
): Promise<ExitCode> {
  const { context, host, cluster, yes, dryRun, json } = known
  const reached = await reach(host)
  const service = await serviceOf(reached, known)
  const source = known.from ?? chooseSource(service, host)
  const refusal = refusalOf(service, { target: host, source })
  if (refusal) throw refused(host, refusal.reason, refusal.fix)
  // What the target alone has is told by what the source has at that time.
  const from = await describeDatabase(await reach(source ?? ''))
  const to = await describeDatabase(reached, from)
  const ends = { service: service.name, from, to }
  refuseUnfit(ends)
  const { free, own = null } = to.database
  const plan = { from: source, to: host, bytes: from.database.bytes, free, own }
  if (!json) context.stdout.write(provisionPlanText(ends))
  if (dryRun) {
    if (json) context.stdout.write(jsonText({ cluster, service: service.name, plan }))
    return exitCodes.ok
  }
  if (!(await isConfirmed(context, { yes, question: provisionQuestion(ends) }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const managers = [managerOf(reached, { cluster }), ...(await others())]
  const before = service.datasources.find(({ name }) => name === host)?.state
  const change = (operation: 'shun' | 'welcome' | 'recover', at = managers) =>
    changeState(at, { service: service.name, name: host, operation, clock })
  const tell = (problems: readonly HostProblem[]): void => {
    for (const { host: where, problem } of problems) {
      context.stderr.write(`${where}: its manager does not have the state of ${host}: ${problem}\n`)
    }
  }
  if (before !== 'SHUNNED') tell(await change('shun'))
  const steps = new Map<ProvisionProgress['step'], ProvisionProgress>()
  const show = json ? () => undefined : progressOf(known, from)
  try {
    const last = await copy(known, ends, (progress) => {
      steps.set(progress.step, progress)
      show(progress)
    })
    tell(await change('recover', managers.slice(1)))
    const state = last?.state ?? null
    const saved = steps.get('save')?.file ?? null
    if (json) context.stdout.write(jsonText({ cluster, service: service.name, plan, state, saved }))
    else context.stdout.write(provisionEndText(to, { state, saved }))
    return exitCodes.ok
  } catch (error) {
    // The old data are in place until it follows.
    if (before === 'ONLINE' && !steps.has('follow')) tell(await change('welcome'))
    throw error
  }
}

const clock = { now: () => performance.now(), wait }

/** Copies the database. */
async function copy(
  known: Known,
  ends: { readonly from: DatabaseHost; readonly to: DatabaseHost },
  onProgress: (progress: ProvisionProgress) => void,
): Promise<ProvisionProgress | undefined> {
  const { signal, stderr } = known.context
  const stopping = (): void => {
    stderr.write('stopping: a server that was stopped already gets its new data first\n')
  }
  signal.addEventListener('abort', stopping, { once: true })
  return provision({ ...ends, signal, onProgress }).finally(() =>
    signal.removeEventListener('abort', stopping),
  )
}

/** Milliseconds between two lines about the copy: at least where it goes on by a twentieth, and at most. */
const linePause = { shortest: 2_000, longest: 60_000 } as const

/** Returns what prints each step, and now and then how far the copy is. */
function progressOf({ context }: Known, { database }: DatabaseHost): (progress: ProvisionProgress) => void {
  let step: ProvisionProgress['step'] | undefined
  let begun = 0
  let told = { at: 0, bytes: 0 }
  return (progress) => {
    const now = performance.now()
    const { bytes = 0 } = progress
    if (progress.step !== step) {
      step = progress.step
      begun = now
      told = { at: now, bytes }
      context.stdout.write(`${provisionStepText(progress)}\n`)
    }
    const isMuch = bytes >= told.bytes + database.bytes / 20
    if (now < told.at + (isMuch ? linePause.shortest : linePause.longest)) return
    told = { at: now, bytes }
    const seconds = (now - begun) / 1000
    context.stdout.write(`  ${copiedText(bytes, { all: database.bytes, seconds })}\n`)
  }
}
