import { randomBytes } from 'node:crypto'
import { createHasher } from '../accounts/hasher.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import type { Emit, HostOutcome } from '../deployment/events.ts'
import { hostsAtOnce } from '../deployment/execution/execute.ts'
import { failureOf } from '../deployment/failure.ts'
import { recorded } from '../deployment/hostIdentity.ts'
import type { HostPlan } from '../deployment/hostPlan.ts'
import { mapLimit } from '../deployment/mapLimit.ts'
import { installPlan } from '../deployment/plans/install.ts'
import { type Preparation, prepare, type ResolvedSecrets } from '../deployment/prepare.ts'
import { preview } from '../deployment/preview.ts'
import { type Program, readProgram } from '../deployment/program.ts'
import { mustUnderstandTarget } from '../deployment/releases/fitness.ts'
import type { PackedRuntime, RuntimeFile, SentRuntime } from '../deployment/runtime/choose.ts'
import { readRuntimeFile } from '../deployment/runtime/fetch.ts'
import type { ClusterState } from '../deployment/state/clusterState.ts'
import { StepError } from '../deployment/stepError.ts'
import {
  closeAll,
  lostOutcomes,
  type Survey,
  type SurveyedHost,
  surveyHosts,
  wholeLook,
} from '../deployment/survey.ts'
import type { Target } from '../deployment/target.ts'
import { connectHost } from '../session/connectHost.ts'
import { exitOfRun } from '../session/exitOfRun.ts'
import type { Run } from '../session/inRun.ts'
import { notStarted } from '../session/notStarted.ts'
import type { SelectedCluster } from '../session/selectTargets.ts'
import { heldHosts, surveyLocked } from '../session/surveyLocked.ts'
import { type PassphraseOptions, unlocking } from '../session/unlocking.ts'
import type { Transport } from '../transport/transport.ts'
import { mustKnowAuthority } from './mustKnowAuthority.ts'
import { readOwnStores } from './readOwnStores.ts'

/** A target with what would change on its host, and the way there. */
export type PlannedTarget = {
  readonly target: Target
  readonly plan: HostPlan
  readonly transport: Transport
}

/** All that a run decided before it touches anything. */
export type PreparedRun = {
  readonly survey: Survey
  readonly preparation: Extract<Preparation, { ok: true }>
  readonly planned: readonly PlannedTarget[]
  /** The operator's --runtime-file, packed. */
  readonly runtimeFile?: Buffer
}

type RunOptions = PassphraseOptions & {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly secrets: ResolvedSecrets
  readonly state: ClusterState
  readonly emit: Emit
  /** The run that is to change the hosts and holds their locks; absent for a look. */
  readonly run?: Run
  /** Hosts that are meant to be other machines now. */
  readonly replaced: readonly string[]
  /** Of --release: id or version of a release that the hosts keep. */
  readonly release: string | undefined
  /** What else stands in the way on a host that was reached. */
  readonly bars?: (
    surveyed: SurveyedHost,
    to: Pick<Program, 'version'> & { readonly release: string | undefined },
  ) => StepError | undefined
  /** Where a step finds the packed runtime when it is applied. */
  readonly packed: (runtime: SentRuntime) => PackedRuntime | undefined
}

/** Why nothing may be touched; every reason has been told. */
export type Refusal = {
  readonly survey: Survey
  readonly exit: ExitCode
  /** Of every host: those that refused failed, the others were not started. */
  readonly outcomes: readonly HostOutcome[]
}

/**
 * Connects to every host, reads its facts, and decides. One host that cannot be reached,
 * or that an installation cannot succeed on, refuses the whole run while nothing has been touched.
 */
export async function prepareRun(
  options: RunOptions & { readonly runtimeFile: string | undefined },
): Promise<PreparedRun | Refusal> {
  const { context, config, emit } = options
  await mustKnowAuthority(context, options)
  const program = await readProgram(context.packageDirectory, context.version)
  const runtimeFile =
    options.runtimeFile === undefined
      ? undefined
      : await readRuntimeFile({ path: options.runtimeFile, env: context.env })
  const storeFiles = await readOwnStores(config)
  const { run, replaced, state } = options
  const machines = recorded(state, replaced)
  const survey = await (run === undefined
    ? surveyHosts({
        config,
        look: wholeLook,
        connect: (host) => connectHost(context, host),
        emit,
        machines,
        clock: () => performance.now(),
      })
    : surveyLocked({ context, config, run, emit, machines, look: wholeLook }))
  try {
    return await decide({ ...options, survey, program, runtimeFile, storeFiles })
  } catch (error) {
    // Left open, the connections would keep the program from ending.
    await closeAll(survey)
    throw error
  }
}

/** Judges what the survey found and plans every host. Asks hosts only whether they understand a release of --release. */
async function decide(
  options: RunOptions & {
    readonly survey: Survey
    readonly program: Program
    readonly runtimeFile: (RuntimeFile & { readonly packed: Buffer }) | undefined
    readonly storeFiles: ReadonlyMap<string, Buffer>
  },
): Promise<PreparedRun | Refusal> {
  const { context, config, emit, survey, secrets, program, runtimeFile, storeFiles } = options
  if (context.signal.aborted) throw new Interrupted()
  if (survey.lost.length > 0) {
    const outcomes = refused(config, lostOutcomes(survey))
    const locked = heldHosts(survey).length > 0
    return { survey, exit: locked ? exitCodes.locked : exitOfRun(outcomes, false), outcomes }
  }
  const refuse = (problems: readonly StepError[]): Refusal => {
    const failed = problems.map(({ host, code, message, fix }): HostOutcome => {
      const failure = { code, message, fix }
      emit({ type: 'host-failed', host, failure })
      return { host, result: 'failed', applied: [], failure, seconds: {} }
    })
    return { survey, exit: exitCodes.failed, outcomes: refused(config, failed) }
  }
  const barred = survey.reached.flatMap(
    (one) => options.bars?.(one, { ...program, release: options.release }) ?? [],
  )
  if (barred.length > 0) return refuse(barred)
  const preparation = await prepare({
    config,
    left: config.left,
    surveyed: survey.reached,
    state: unlocking(options.state, options),
    secrets,
    storeFiles,
    program,
    ownNode: { path: process.execPath, version: process.version },
    runtimeFile,
    release: options.release,
    now: context.now(),
    random: randomBytes,
    hash: createHasher(),
  })
  if (!preparation.ok) return refuse(preparation.problems)
  const transports = new Map(survey.reached.map(({ host, transport }) => [host.name, transport]))
  const planned = preparation.targets.flatMap((target): readonly PlannedTarget[] => {
    const { name: host, address } = target.host
    const transport = transports.get(host)
    const steps = preview(installPlan({ target, packed: options.packed }), target.facts)
    return transport === undefined ? [] : [{ target, plan: { host, address, steps }, transport }]
  })
  const unfit = await unfitReleases(options.release === undefined ? [] : planned)
  if (unfit.length > 0) return refuse(unfit)
  for (const { plan } of planned) {
    const changes = plan.steps.map(({ change }) => change.summary)
    emit({ type: 'planned', host: plan.host, changes })
  }
  const packed = runtimeFile?.packed
  return { survey, preparation, planned, ...(packed === undefined ? {} : { runtimeFile: packed }) }
}

/** Hosts that would change, and whose kept release does not understand what would be installed. */
async function unfitReleases(planned: readonly PlannedTarget[]): Promise<readonly StepError[]> {
  const found = await mapLimit({
    items: planned.filter(({ plan }) => plan.steps.length > 0),
    limit: hostsAtOnce,
    map: ({ transport, target }) =>
      mustUnderstandTarget(transport, target).then(
        () => undefined,
        (error: unknown) => new StepError({ host: target.host.name, ...failureOf(error), cause: error }),
      ),
  })
  return found.filter((one) => one !== undefined)
}

/** One outcome a host: its first failure, or that nothing was begun there because another host failed. */
function refused(config: SelectedCluster, failed: readonly HostOutcome[]): readonly HostOutcome[] {
  return config.hosts.map(({ name }) => failed.find(({ host }) => host === name) ?? notStarted(name))
}
