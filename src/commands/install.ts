import { sha256 } from '../base/sha256.ts'
import { requireConfirmation } from '../cli/ask.ts'
import { type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { UsageError } from '../cli/usageError.ts'
import { dropReplacedPasswords } from '../deployment/desired/administrators.ts'
import type { Emit } from '../deployment/events.ts'
import type { Rollout } from '../deployment/execution/rollout.ts'
import { allInParallel } from '../deployment/execution/rollout.ts'
import type { HostFacts } from '../deployment/facts/hostFacts.ts'
import { recordedMachines } from '../deployment/hostIdentity.ts'
import type { ResolvedSecrets } from '../deployment/prepare.ts'
import type { PackedRuntime, SentRuntime } from '../deployment/runtime/chooseRuntime.ts'
import { installationSnapshot } from '../deployment/snapshot/installationSnapshot.ts'
import { type ClusterState, withoutStrayStores } from '../deployment/state/clusterState.ts'
import { knownState, saveState } from '../deployment/state/openState.ts'
import { StepError } from '../deployment/stepError.ts'
import { allFacts, type Survey } from '../deployment/survey.ts'
import type { Target } from '../deployment/target.ts'
import { verifyHost } from '../deployment/verifyHost.ts'
import { wentBackNotes } from '../output/deployment/wentBack.ts'
import { passphraseOptions, runOnFiles } from '../session/clusterOptions.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { exportCommandDue } from '../session/exportDue.ts'
import { reportGeneratedPasswords } from '../session/generatedPasswords.ts'
import {
  type GivenPlan,
  openSavedPlan,
  refuseOutdatedPlan,
  requireSameSecrets,
} from '../session/install/checkSavedPlan.ts'
import {
  decideInstall,
  type ExtraCheck,
  type InstallDecision,
  type InstallSources,
  type PlannedTarget,
  readInstallSources,
  refuseRuntimeFile,
} from '../session/install/decideInstall.ts'
import { masterNotes } from '../session/install/masterNotes.ts'
import { packedRuntime } from '../session/install/packedRuntime.ts'
import { decidePruning, mappedStill, prunedHosts, requirePrunable } from '../session/install/pruneHosts.ts'
import { recordCluster } from '../session/install/recordCluster.ts'
import { apiUrls, reportGrants } from '../session/install/reportInstalled.ts'
import { reportLeftHosts } from '../session/leftHosts.ts'
import { reportLeftUsers, withoutLeftUsers } from '../session/leftUsers.ts'
import type { LoadedCluster } from '../session/loadCluster.ts'
import { type ClusterOptions, type OpenedCluster, openCluster } from '../session/openCluster.ts'
import { forgetHosts } from '../session/removal.ts'
import { resolveSecrets } from '../session/resolveSecrets.ts'
import { rolloutGiven, rolloutOptions } from '../session/rolloutOptions.ts'
import {
  changeFlags,
  changeOptions,
  confirmWithinGiven,
  confirmWithinOption,
  keepFailedOption,
  planGiven,
  planOption,
  pruneGiven,
  pruneOption,
  releaseGiven,
  releaseOption,
  replacedGiven,
  replacedOption,
  runtimeFileGiven,
  runtimeFileOption,
} from '../session/runOptions.ts'
import { orderNotes, refusalFor, refuse, runPlan } from '../session/runPlan.ts'
import {
  namesOf,
  requireHosts,
  rolloutFor,
  type SelectedCluster,
  withAllHosts,
} from '../session/selectTargets.ts'
import {
  beginSession,
  openStateToChange,
  reportLimitedRun,
  type SurveyedSession,
} from '../session/session.ts'
import { withFurtherHosts, withSurvey } from '../session/withHosts.ts'
import { withRun } from '../session/withRun.ts'

/** Defines a command that installs: install and upgrade. `rollout` is its default; `brings` adds --replaced and --prune. */
export const installDefinition =
  (of: {
    readonly rollout: Rollout
    readonly brings: boolean
    readonly run: (options: InstallOptions) => Promise<ExitCode>
  }): Define =>
  (made, world) => {
    changeOptions(made)
    passphraseOptions(made)
    runtimeFileOption(made)
    releaseOption(made)
    if (of.brings) pruneOption(replacedOption(made))
    keepFailedOption(made)
    confirmWithinOption(made)
    rolloutOptions(made, of.rollout)
    planOption(made)
    return runOnFiles(made, world, (options) =>
      of.run({
        ...options,
        ...changeFlags(made),
        rollout: rolloutGiven(made, of.rollout),
        runtimeFile: runtimeFileGiven(made),
        release: releaseGiven(made),
        plan: planGiven(made),
        replaced: of.brings ? replacedGiven(made) : [],
        prune: of.brings && pruneGiven(made),
        keepFailed: flag(made, 'keepFailed'),
        confirmWithin: confirmWithinGiven(made),
      }),
    )
  }

export const installCommand = installDefinition({
  rollout: allInParallel,
  brings: true,
  run: (options) => install(options),
})

/** Differences of a run that is more than an installation. */
type Purpose = {
  readonly operation: string
  /** Additional reason to refuse a host. */
  readonly extraCheck: ExtraCheck
  /** Notes at the top of the plan. */
  readonly notes: (decision: InstallDecision) => readonly string[]
}

export type InstallOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  readonly runtimeFile: string | undefined
  /** Id or version of a release that the hosts keep, to run in place of this muster's own. */
  readonly release: string | undefined
  /** Hosts that are new machines on purpose. */
  readonly replaced: readonly string[]
  /** Takes out hosts and users that left the file. */
  readonly prune?: boolean
  readonly rollout: Rollout
  /** Saved plan to apply exactly, without confirmation. */
  readonly plan?: string | undefined
  /** Does not roll back a host that fails. */
  readonly keepFailed?: boolean
  /** Milliseconds after which a host goes back by itself unless its logins were verified; absent: it never does. */
  readonly confirmWithin?: number | undefined
  /** Absent: an installation. */
  readonly purpose?: Purpose
}

/** Brings every host to the configuration, verifies the logins, and records the cluster for tapi. */
export async function install(options: InstallOptions): Promise<ExitCode> {
  const { context, plan, purpose, replaced, prune = false } = options
  if (options.confirmWithin !== undefined && options.keepFailed === true) {
    throw new UsageError(
      '--keep-failed cannot be used with --confirm-within: one keeps the changes of a host that fails, the other undoes them.',
      'Leave out one of them.',
    )
  }
  const operation = purpose?.operation ?? 'install'
  const opened: OpenedCluster & { readonly given?: GivenPlan } =
    plan === undefined ? await openCluster(options) : await openSavedPlan({ ...options, plan })
  const { config, loaded, given } = opened
  const release = given === undefined ? options.release : given.plan.release
  refuseRuntimeFile(release, options.runtimeFile)
  requireHosts(config, '--replaced', replaced)
  if (prune) requirePrunable(config, { plan: plan !== undefined })
  const rollout = rolloutFor(config, options.rollout)
  if (plan === undefined) requireConfirmation(context, { yes: options.yes, command: operation })
  const secrets = await resolveSecrets(context, opened)
  if (given !== undefined) await requireSameSecrets(context, given, config, secrets)
  await prepareConnections(context, config.hosts)
  if (prune) await prepareConnections(context, prunedHosts(config, await knownState(config)).hosts)
  // The plan was shown when it was saved.
  const asked = { ...options, config, loaded, release, rollout, yes: options.yes || given !== undefined }
  return withRun({ ...asked, operation, locksCluster: prune }, async (run) => {
    const state = await openStateToChange(context, config)
    const session = await beginSession({ ...asked, run })
    const sources = await readInstallSources({ ...asked, state })
    return withSurvey(session, {
      scope: allFacts,
      requires: 'all',
      machines: recordedMachines(state, replaced),
      work: (surveyed) => {
        const known = { ...asked, secrets, given, state, sources }
        if (!prune) return installOn(surveyed, known)
        return withFurtherHosts(surveyed, {
          ...prunedHosts(config, state),
          scope: allFacts,
          work: (left) => installOn(surveyed, { ...known, left }),
        })
      },
    })
  })
}

async function installOn(
  session: SurveyedSession<HostFacts>,
  options: InstallOptions & {
    readonly config: SelectedCluster
    readonly loaded: LoadedCluster
    readonly secrets: ResolvedSecrets
    readonly given: GivenPlan | undefined
    readonly state: ClusterState
    readonly sources: InstallSources
    /** Hosts that left the file and are taken out. */
    readonly left?: Survey
  },
): Promise<ExitCode> {
  const { context, config, run, renderer, survey } = session
  const { left } = options
  const pruning = left && (await decidePruning({ ...options, survey, left }))
  if (pruning !== undefined && 'problems' in pruning) return refuse(session, refusalFor(pruning.problems))
  const { given, loaded, purpose, rollout, state, sources, confirmWithin: within } = options
  const runtimes = new Map<string, PackedRuntime>()
  const decision = await decideInstall({
    ...options,
    survey,
    ...(purpose && { extraCheck: purpose.extraCheck }),
    packed: (runtime) => runtimes.get(runtime.id),
  })
  if ('failed' in decision) return refuse(session, decision)
  if (pruning === undefined) {
    await reportLeftHosts({ context, config, state })
    reportLeftUsers({ context, config, state, ...survey })
  }
  for (const note of pruning?.kept ?? []) context.stderr.write(`note: ${note}\n`)
  const { planned, preparation } = decision
  for (const { plan } of planned) {
    const changes = plan.steps.map(({ change }) => change.summary)
    renderer.emit({ type: 'planned', host: plan.host, changes })
  }
  const outrun = given && (await refuseOutdatedPlan(session, { ...options, given, decision }))
  if (outrun !== undefined) return refuse(session, outrun)
  const unfit = within === undefined ? [] : planned.flatMap(({ target }) => confirmProblem(target) ?? [])
  if (unfit.length > 0) return refuse(session, refusalFor(unfit))
  const confirm = within === undefined ? undefined : { owner: run.owner, within }
  const work = planned.map(({ target, plan, transport }) => ({
    ...plan,
    transport,
    verify: () => verifyHost(transport, target),
    snapshot: installationSnapshot(target, confirm),
    keepFailed: options.keepFailed === true,
  }))
  const notes = [
    ...wentBackNotes(survey.reached),
    ...(await masterNotes({ context, config, loaded, survey, of: 'changed' })),
    ...(purpose?.notes(decision) ?? []),
    ...orderNotes(work, rollout),
    ...preparation.notes,
    ...(pruning?.notes ?? []),
  ]
  const executeAndSave = async (execute: () => Promise<{ readonly exit: ExitCode }>): Promise<ExitCode> => {
    await fetchRuntimes({ context, planned, sources, runtimes, emit: renderer.emit })
    await saveState({ ...config, before: state, after: preparation.state })
    reportGeneratedPasswords(session, preparation.generated)
    const { exit } = await execute()
    reportLimitedRun(session)
    if (exit !== exitCodes.ok) return exit
    const proved = dropReplacedPasswords(preparation.state, preparation.targets, config.excluded)
    const known = withoutStrayStores(proved, namesOf(withAllHosts(config).hosts))
    const after = pruning === undefined ? known : withoutLeftUsers(known, config.hosts)
    await saveState({ ...config, before: preparation.state, after })
    await recordCluster(context, config, preparation)
    const pruned = pruning === undefined ? [] : [...pruning.work.map(({ host }) => host), ...pruning.renamed]
    if (pruned.length > 0) await forgetHosts({ context, config, state: after, names: pruned })
    const mapped = await mappedStill(pruned, { context, config, state: after, survey })
    const badLogins = await reportGrants(session, decision)
    const due = await exportCommandDue({ ...options, state: after })
    run.setClosingText(apiUrls({ ...options, decision, export: due }))
    const shortcomings = [...badLogins, mapped, ...(pruning?.kept ?? [])].filter((one) => one !== undefined)
    if (shortcomings.length === 0) return exitCodes.ok
    run.setShortcoming(shortcomings.join('; '))
    return exitCodes.incomplete
  }
  return runPlan(session, { work: [...work, ...(pruning?.work ?? [])], notes, rollout, executeAndSave })
}

/** Reason why a host cannot go back by itself; undefined if it can. */
function confirmProblem({ host, service }: Target): StepError | undefined {
  const why =
    host.connection === 'local'
      ? 'it is this machine, which cannot lose its operator'
      : service.manager === 'systemd'
        ? undefined
        : 'its components are not run by systemd, whose timer takes the host back'
  if (why === undefined) return undefined
  return new StepError({
    host: host.name,
    code: 'cannot-confirm',
    message: `--confirm-within cannot be used on ${host.name}: ${why}`,
    fix: 'Install without --confirm-within, or leave the host out with --host.',
  })
}

/** Gets each runtime that a host lacks, once, before any host is touched. */
async function fetchRuntimes(options: {
  readonly context: CommandContext
  readonly planned: readonly PlannedTarget[]
  readonly sources: InstallSources
  readonly runtimes: Map<string, PackedRuntime>
  readonly emit: Emit
}): Promise<void> {
  const { context, planned, sources, runtimes, emit } = options
  const wanted = new Map<string, SentRuntime>()
  for (const { target, plan } of planned) {
    const { runtime } = target
    const due = plan.steps.some(({ step }) => step.id === 'runtime')
    if (due && runtime.kind === 'sent') wanted.set(runtime.id, runtime)
  }
  for (const [id, runtime] of wanted) {
    const onFetch = (message: string): void => emit({ type: 'notice', message })
    runtimes.set(id, withDigest(await packedRuntime(runtime, { context, sources, onFetch })))
  }
}

const withDigest = (bytes: Buffer): PackedRuntime => ({ bytes, sha256: sha256(bytes) })
