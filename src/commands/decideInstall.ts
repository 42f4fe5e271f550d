import { randomBytes } from 'node:crypto'
import { createHasher } from '../accounts/passwordHash.ts'
import { mapLimit } from '../base/concurrency.ts'
import { shortListOf } from '../base/words.ts'
import type { CommandContext } from '../cli/context.ts'
import { UsageError } from '../cli/usageError.ts'
import { recordedCluster, registryDirectory } from '../client/registry.ts'
import { isGenerated } from '../deployment/desired/generatedStores.ts'
import { hostsAtOnce } from '../deployment/execution/execute.ts'
import { failureOf } from '../deployment/failure.ts'
import { type HostPlan, preview } from '../deployment/hostPlan.ts'
import { installPlan } from '../deployment/plans/install.ts'
import { type Preparation, prepare, type ResolvedSecrets } from '../deployment/prepare.ts'
import { type Program, readProgram } from '../deployment/program.ts'
import { requireTargetSupport } from '../deployment/releases/compatibility.ts'
import type { PackedRuntime, RuntimeFile, SentRuntime } from '../deployment/runtime/chooseRuntime.ts'
import { readRuntimeFile } from '../deployment/runtime/fetchRuntime.ts'
import type { ClusterState } from '../deployment/state/clusterState.ts'
import { StateError } from '../deployment/state/stateError.ts'
import { stateFolder } from '../deployment/state/statePlace.ts'
import { StepError } from '../deployment/stepError.ts'
import type { Survey, SurveyedHost } from '../deployment/survey.ts'
import type { Target } from '../deployment/target.ts'
import { type Refusal, refusalFor } from '../session/runPlan.ts'
import { namesOf, type SelectedCluster } from '../session/selectTargets.ts'
import { type PassphraseOptions, unlocking } from '../session/unlocking.ts'
import type { Transport } from '../transport/transport.ts'
import { readOwnStores } from './readOwnStores.ts'

/** A target with what would change on its host, and the way there. */
export type PlannedTarget = {
  readonly target: Target
  readonly plan: HostPlan
  readonly transport: Transport
}

/** All that an installation decided before it touches anything. */
export type InstallDecision = {
  readonly preparation: Extract<Preparation, { ok: true }>
  readonly planned: readonly PlannedTarget[]
}

/** What else stands in the way on a host that was reached. */
export type Bars = (
  surveyed: SurveyedHost,
  to: Pick<Program, 'version'> & { readonly release: string | undefined },
) => StepError | undefined

/** What an installation sends, read from this machine. */
export type InstallSources = {
  readonly program: Program
  /** The operator's --runtime-file, packed. */
  readonly runtimeFile: (RuntimeFile & { readonly packed: Buffer }) | undefined
  /** The operator's own stores, by path. */
  readonly storeFiles: ReadonlyMap<string, Buffer>
}

/** Throws a `UsageError` for --runtime-file together with --release. */
export function refuseRuntimeFile(release: string | undefined, runtimeFile: string | undefined): void {
  if (release === undefined || runtimeFile === undefined) return
  throw new UsageError(
    `--runtime-file cannot be used with --release: release ${release} runs on the Node.js it was installed with.`,
    'Leave out one of them.',
  )
}

/** Reads what is installed, before any host is reached. Throws a `StateError` where the authority is lost. */
export async function readInstallSources(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly state: ClusterState
  readonly runtimeFile: string | undefined
}): Promise<InstallSources> {
  const { context, config, runtimeFile: path } = options
  await mustKnowAuthority(options)
  return {
    program: await readProgram(context.packageDirectory, context.version),
    runtimeFile: path === undefined ? undefined : await readRuntimeFile({ path, env: context.env }),
    storeFiles: await readOwnStores(config),
  }
}

/**
 * Refuses to make an authority for some hosts while tapi's record says that others were installed from here:
 * those have one, whose key is lost here, and they are not asked. Throws a `StateError`.
 */
async function mustKnowAuthority({
  context,
  config,
  state,
}: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly state: ClusterState
}): Promise<void> {
  const { cluster, directory, left } = config
  if (state.authority !== undefined || !config.hosts.some(isGenerated)) return
  const record = await recordedCluster({ dir: registryDirectory(context.env), cluster, directory })
  const recorded = new Set(record?.hosts.map(({ name }) => name))
  const installed = namesOf(left.filter((host) => isGenerated(host) && recorded.has(host.name)))
  if (installed.length === 0) return
  throw new StateError({
    code: 'authority-lost',
    message: `${stateFolder(config)} has no authority, but the certificates of ${shortListOf(installed)} were signed by one`,
    fix: 'Restore it from a backup, or run `muster state import` with the archive of another operator. Clients would not trust a second authority.',
  })
}

/**
 * Judges what the survey found and plans every host; one host on which an installation cannot succeed refuses the whole
 * run. Asks hosts only whether they understand a release of --release.
 */
export async function decideInstall(
  options: PassphraseOptions & {
    readonly context: CommandContext
    readonly config: SelectedCluster
    readonly secrets: ResolvedSecrets
    readonly state: ClusterState
    readonly survey: Survey
    readonly sources: InstallSources
    /** Of --release: id or version of a release that the hosts keep. */
    readonly release: string | undefined
    readonly bars?: Bars
    /** Where a step finds the packed runtime when it is applied. */
    readonly packed: (runtime: SentRuntime) => PackedRuntime | undefined
  },
): Promise<InstallDecision | Refusal> {
  const { context, config, survey, secrets, release, bars } = options
  const { program, runtimeFile, storeFiles } = options.sources
  const barred = survey.reached.flatMap((one) => bars?.(one, { ...program, release }) ?? [])
  if (barred.length > 0) return refusalFor(barred)
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
    release,
    now: context.now(),
    random: randomBytes,
    hash: createHasher(),
  })
  if (!preparation.ok) return refusalFor(preparation.problems)
  const transports = new Map(survey.reached.map(({ host, transport }) => [host.name, transport]))
  const planned = preparation.targets.flatMap((target): readonly PlannedTarget[] => {
    const { name: host, address } = target.host
    const transport = transports.get(host)
    const steps = preview(installPlan({ target, packed: options.packed }), target.facts)
    return transport === undefined ? [] : [{ target, plan: { host, address, steps }, transport }]
  })
  const unfit = await unfitReleases(release === undefined ? [] : planned)
  return unfit.length > 0 ? refusalFor(unfit) : { preparation, planned }
}

/** Hosts that would change, and whose kept release does not understand what would be installed. */
async function unfitReleases(planned: readonly PlannedTarget[]): Promise<readonly StepError[]> {
  const found = await mapLimit({
    items: planned.filter(({ plan }) => plan.steps.length > 0),
    limit: hostsAtOnce,
    map: ({ transport, target }) =>
      requireTargetSupport(transport, target).then(
        () => undefined,
        (error: unknown) => new StepError({ host: target.host.name, ...failureOf(error), cause: error }),
      ),
  })
  return found.filter((one) => one !== undefined)
}
