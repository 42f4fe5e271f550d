import { randomBytes } from 'node:crypto'
import { hasherOf } from '../../accounts/passwordHash.ts'
import { createTurns } from '../../base/concurrency.ts'
import { shortListOf } from '../../base/words.ts'
import type { CommandContext } from '../../cli/context.ts'
import { UsageError } from '../../cli/usageError.ts'
import { findClusterRecord, registryDirectory } from '../../client/registry.ts'
import { isGenerated } from '../../deployment/desired/generatedStores.ts'
import { failureOf } from '../../deployment/hostFailure.ts'
import { type HostPlan, preview } from '../../deployment/hostPlan.ts'
import { mapHosts } from '../../deployment/mapHosts.ts'
import { installPlan } from '../../deployment/plans/installPlan.ts'
import { spaceProblems } from '../../deployment/preflight/diskCheck.ts'
import { type Preparation, prepare, type ResolvedSecrets } from '../../deployment/prepare.ts'
import { requireTargetSupport } from '../../deployment/releases/compatibility.ts'
import type { PackedRuntime, RuntimeFile, SentRuntime } from '../../deployment/runtime/chooseRuntime.ts'
import { readRuntimeFile } from '../../deployment/runtime/fetchRuntime.ts'
import { type OwnNode, readOwnNode } from '../../deployment/runtime/ownNode.ts'
import { readServerProgram, type ServerProgram } from '../../deployment/serverProgram.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { requireSharedState } from '../../deployment/state/sharedState.ts'
import { StateError } from '../../deployment/state/stateError.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { StepError } from '../../deployment/stepError.ts'
import type { Survey, SurveyedHost } from '../../deployment/survey.ts'
import type { Target } from '../../deployment/target.ts'
import type { Transport } from '../../transport/transport.ts'
import { type PassphraseOptions, withPassphrasePrompt } from '../authorityPassphrase.ts'
import { lastFullUser, leftUsers } from '../leftUsers.ts'
import { readUserProvidedStores } from '../readUserProvidedStores.ts'
import { type Refusal, refusalFor } from '../runPlan.ts'
import { namesOf, type SelectedCluster } from '../selectTargets.ts'

/** Target with the changes on its host and its connection. */
export type PlannedTarget = {
  readonly target: Target
  readonly plan: HostPlan
  readonly transport: Transport
}

/** Decision of an installation, before it changes anything. */
export type InstallDecision = {
  readonly preparation: Extract<Preparation, { ok: true }>
  readonly planned: readonly PlannedTarget[]
}

/** Additional reason to refuse a host that was reached. */
export type ExtraCheck = (
  surveyed: SurveyedHost,
  to: Pick<ServerProgram, 'version'> & { readonly release: string | undefined },
) => StepError | undefined

/** Files of this machine that an installation sends. */
export type InstallSources = {
  readonly program: ServerProgram
  readonly ownNode: OwnNode
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

/** Reads what an installation sends, before any host is reached. Throws a `StateError` if the authority is missing. */
export async function readInstallSources(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly state: ClusterState
  readonly runtimeFile: string | undefined
}): Promise<InstallSources> {
  const { context, config, runtimeFile: path } = options
  await requireAuthority(options)
  return {
    program: await readServerProgram(context.packageDirectory, context.version),
    ownNode: await readOwnNode(),
    runtimeFile: path === undefined ? undefined : await readRuntimeFile({ path, env: context.env }),
    storeFiles: await readUserProvidedStores(config),
  }
}

/**
 * Throws a `StateError` if an authority would be created although tapi's record says that excluded hosts have
 * certificates of one, whose key is missing here.
 */
async function requireAuthority({
  context,
  config,
  state,
}: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly state: ClusterState
}): Promise<void> {
  const { cluster, directory, excluded } = config
  if (state.authority !== undefined || !config.hosts.some(isGenerated)) return
  const record = await findClusterRecord({ dir: registryDirectory(context.env), cluster, directory })
  const recorded = new Set(record?.hosts.map(({ name }) => name))
  const installed = namesOf(excluded.filter((host) => isGenerated(host) && recorded.has(host.name)))
  if (installed.length === 0) return
  throw new StateError({
    code: 'authority-lost',
    message: `${stateFolder(config)} has no authority, but the certificates of ${shortListOf(installed)} were signed by one`,
    fix: 'Restore it from a backup, or run `muster state import` with the archive of another operator. If it is lost for good, run `muster cert rotate-authority --lost`. Clients would not trust a second authority.',
  })
}

/**
 * Checks the facts of the survey and plans every host; one host that cannot be installed refuses the whole run. Calls
 * hosts only to ask if they support a release of --release.
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
    readonly extraCheck?: ExtraCheck
    /** Removes users that left the file from their hosts. */
    readonly prune?: boolean
    /** Returns the packed runtime when the step is applied. */
    readonly packed: (runtime: SentRuntime) => PackedRuntime | undefined
  },
): Promise<InstallDecision | Refusal> {
  const { context, config, survey, secrets, release, extraCheck } = options
  const { program, ownNode, runtimeFile, storeFiles } = options.sources
  const refused = survey.reached.flatMap((one) => extraCheck?.(one, { ...program, release }) ?? [])
  if (refused.length > 0) return refusalFor(refused)
  const users = options.prune === true ? survey.reached : []
  const last = users.flatMap((one) => lastFullUser(one, options.state) ?? [])
  if (last.length > 0) return refusalFor(last)
  const prepared = await prepare({
    config,
    excluded: config.excluded,
    surveyed: survey.reached,
    state: withPassphrasePrompt(options.state, options),
    secrets,
    storeFiles,
    program,
    ownNode,
    runtimeFile,
    release,
    now: context.now(),
    random: randomBytes,
    hash: hasherOf(context.env),
  })
  if (!prepared.ok) return refusalFor(prepared.problems)
  const left = new Map(users.map((one) => [one.host.name, leftUsers(one, options.state)]))
  const targets = prepared.targets.map((target) => {
    const removedUsers = left.get(target.host.name) ?? []
    return removedUsers.length === 0 ? target : { ...target, removedUsers }
  })
  const preparation = { ...prepared, targets }
  requireSharedState({ ...config, before: options.state, after: preparation.state })
  const transports = new Map(survey.reached.map(({ host, transport }) => [host.name, transport]))
  const planned: PlannedTarget[] = []
  const turn = createTurns()
  for (const target of preparation.targets) {
    await turn()
    const { name: host, address } = target.host
    const transport = transports.get(host)
    const steps = preview(installPlan({ target, packed: options.packed }), target.facts)
    if (transport !== undefined) planned.push({ target, plan: { host, address, steps }, transport })
  }
  const full = planned.flatMap(({ target, plan }) => spaceProblems({ ...target, steps: plan.steps }))
  if (full.length > 0) return refusalFor(full)
  const unfit = await unsupportedReleases(release === undefined ? [] : planned, context.forks)
  return unfit.length > 0 ? refusalFor(unfit) : { preparation, planned }
}

/** Hosts that would change, and whose kept release does not understand what would be installed. */
async function unsupportedReleases(
  planned: readonly PlannedTarget[],
  forks: number | undefined,
): Promise<readonly StepError[]> {
  const found = await mapHosts({
    items: planned.filter(({ plan }) => plan.steps.length > 0),
    forks,
    map: ({ transport, target }) =>
      requireTargetSupport(transport, target).then(
        () => undefined,
        (error: unknown) => new StepError({ host: target.host.name, ...failureOf(error), cause: error }),
      ),
  })
  return found.filter((one) => one !== undefined)
}
