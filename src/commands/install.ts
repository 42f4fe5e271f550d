import { agreed, mustBeAbleToAsk } from '../cli/confirmChanges.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { registryDirectory } from '../client/registryDirectory.ts'
import { recordCluster, recordedCluster } from '../client/registryFiles.ts'
import { beforeOf } from '../deployment/before/beforeOf.ts'
import { forgetReplaced } from '../deployment/desired/administrators.ts'
import type { Rollout } from '../deployment/execution/rollout.ts'
import { wavesOf } from '../deployment/execution/wave.ts'
import type { ResolvedSecrets } from '../deployment/prepare.ts'
import { registration } from '../deployment/registration.ts'
import type { PackedRuntime } from '../deployment/runtime/choose.ts'
import { untrustedAuthorities } from '../deployment/state/clusterState.ts'
import { openState } from '../deployment/state/openState.ts'
import { saveState } from '../deployment/state/saveState.ts'
import type { StatePlace } from '../deployment/state/statePlace.ts'
import { closeAll } from '../deployment/survey.ts'
import { verifyHost } from '../deployment/verify.ts'
import { wavesText } from '../output/deployment/waves.ts'
import { chooseRenderer } from '../session/chooseRenderer.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { inRun, type Run } from '../session/inRun.ts'
import { madePasswordText } from '../session/madePasswordText.ts'
import { mustBeHosts } from '../session/mustBeHosts.ts'
import { type ClusterOptions, type OpenedCluster, openCluster } from '../session/openCluster.ts'
import { rolloutFor } from '../session/rolloutFor.ts'
import { runSteps } from '../session/runSteps.ts'
import { namesOf, type SelectedCluster } from '../session/selectTargets.ts'
import { showPlan } from '../session/showPlan.ts'
import { fetchRuntimes } from './fetchRuntimes.ts'
import { type GivenPlan, mustBeOfPlan, openPlanned, refuseOutrun } from './followPlan.ts'
import { type PreparedRun, prepareRun } from './prepareRun.ts'
import { refuseRuntimeFile } from './refuseRuntimeFile.ts'
import { resolveSecrets } from './resolveSecrets.ts'
import { reachOf, tellGrants, tellPart, tellWhereKept } from './tellInstalled.ts'

/** What sets apart a run that is more than an installation. */
type Purpose = {
  readonly operation: string
  /** What else stands in the way on a host. */
  readonly bars: NonNullable<Parameters<typeof prepareRun>[0]['bars']>
  /** What the plan says first. */
  readonly notes: (run: PreparedRun) => readonly string[]
}

export type InstallOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  readonly runtimeFile: string | undefined
  /** Id or version of a release that the hosts keep, to run in place of this muster's own. */
  readonly release: string | undefined
  /** Hosts that are meant to be other machines now. */
  readonly replaced: readonly string[]
  readonly rollout: Rollout
  /** File of a saved plan, which alone is carried out; nothing is asked then. */
  readonly plan?: string | undefined
  /** Leaves a host that fails as it is, for a look. */
  readonly keepFailed?: boolean
  /** Absent: an installation. */
  readonly purpose?: Purpose
}

/** `muster install`: makes every host what the file says, proves the logins, and records the cluster for tapi. */
export async function install(options: InstallOptions): Promise<ExitCode> {
  const { plan, purpose } = options
  const operation = purpose?.operation ?? 'install'
  if (plan === undefined) mustBeAbleToAsk(options.context, { yes: options.yes, command: operation })
  const opened: OpenedCluster & { readonly given?: GivenPlan } = await (plan === undefined
    ? openCluster(options)
    : openPlanned({ ...options, plan }))
  const { config, given } = opened
  const release = given === undefined ? options.release : given.plan.release
  refuseRuntimeFile(release, options.runtimeFile)
  mustBeHosts(config, '--replaced', options.replaced)
  const rollout = rolloutFor(config, options.rollout)
  const secrets = await resolveSecrets(options.context, opened)
  if (given !== undefined) await mustBeOfPlan(given, config, secrets)
  await prepareConnections(options.context, config.hosts)
  const place = { directory: config.directory, cluster: config.cluster }
  return inRun({ ...options, config, operation }, (locked) =>
    installLocked({ ...options, release, rollout, config, secrets, given, place, locked }),
  )
}

async function installLocked(
  options: InstallOptions & {
    readonly config: SelectedCluster
    readonly secrets: ResolvedSecrets
    readonly given: GivenPlan | undefined
    readonly place: StatePlace
    readonly locked: Run
  },
): Promise<ExitCode> {
  const { context, config, secrets, given, place, json, locked } = options
  const opened = await openState(place)
  for (const note of opened.notes) context.stderr.write(`note: ${note}\n`)
  const hosts = namesOf(config.hosts)
  const runtimes = new Map<string, PackedRuntime>()
  const renderer = locked.follow(await chooseRenderer({ context, json, hosts }))
  const { id, operation } = locked.owner
  renderer.emit({ type: 'run-started', run: id, operation, cluster: config.cluster, hosts })
  const run = await prepareRun({
    context,
    config,
    secrets,
    state: opened.state,
    runtimeFile: options.runtimeFile,
    release: options.release,
    replaced: options.replaced,
    authorityPassphraseFile: options.authorityPassphraseFile,
    authorityPassphraseStdin: options.authorityPassphraseStdin,
    emit: renderer.emit,
    run: locked,
    ...(options.purpose && { bars: options.purpose.bars }),
    packed: (runtime) => runtimes.get(runtime.id),
  }).finally(() => renderer.end())
  try {
    if ('exit' in run) {
      renderer.emit({ type: 'run-ended', outcomes: run.outcomes, interrupted: false })
      context.stderr.write('Nothing was changed.\n')
      return run.exit
    }
    const { state } = opened
    const outrun = given && (await refuseOutrun({ ...options, given, state, prepared: run, run: locked }))
    if (outrun !== undefined) return outrun
    if (!(await mayGoOn(options, run))) {
      context.stderr.write('Nothing was changed.\n')
      return exitCodes.failed
    }
    await fetchRuntimes({ context, run, runtimes, emit: renderer.emit })
    await saveState({ ...place, before: opened.state, after: run.preparation.state })
    // Before the hosts are touched: after a run that was killed it is told nowhere else.
    if (json) tellWhereKept(run, place, renderer.emit)
    else context.stdout.write(madePasswordText(run.preparation.made, place))
    const work = run.planned.map(({ target, plan, transport }) => ({
      ...plan,
      transport,
      verify: () => verifyHost(transport, target),
      before: beforeOf(target),
      keepFailed: options.keepFailed === true,
    }))
    const exit = await runSteps({
      context,
      json,
      run: locked,
      survey: run.survey,
      work,
      rollout: options.rollout,
    })
    tellPart({ context, config, json, emit: renderer.emit })
    if (exit !== exitCodes.ok) return exit
    await saveState({
      ...place,
      before: run.preparation.state,
      after: forgetReplaced(run.preparation.state, run.preparation.targets, config.left),
    })
    await record(context, config, run)
    await tellGrants({ context, run, json, emit: renderer.emit })
    locked.conclude(reachOf({ ...options, config, run }))
    return exitCodes.ok
  } finally {
    await closeAll(run.survey)
  }
}

/** Records the cluster for tapi; of hosts that this run left alone, what is on record stays. */
async function record(context: CommandContext, config: SelectedCluster, run: PreparedRun): Promise<void> {
  const dir = registryDirectory(context.env)
  const { cluster, directory, left } = config
  const { targets, state } = run.preparation
  const before = left.length === 0 ? undefined : await recordedCluster({ dir, cluster, directory })
  await recordCluster({ dir, cluster: registration(config, targets, before, untrustedAuthorities(state)) })
}

/** Shows the plan to people and asks them; without changes there is nothing to ask. */
async function mayGoOn(
  options: InstallOptions & { config: SelectedCluster; given: GivenPlan | undefined; locked: Run },
  run: PreparedRun,
): Promise<boolean> {
  const { context, config, json, purpose, rollout } = options
  // Who saved the plan was shown it.
  const yes = options.yes || options.given !== undefined
  const plans = run.planned.map(({ plan }) => plan)
  const order = wavesText(wavesOf(plans, rollout), rollout)
  const notes = [
    ...(purpose?.notes(run) ?? []),
    ...(order === undefined ? [] : [order]),
    ...run.preparation.notes,
  ]
  if (!json) showPlan(context, { cluster: config.cluster, notes, plans, left: namesOf(config.left) })
  if (plans.every(({ steps }) => steps.length === 0)) return true
  return agreed(context, { yes, question: 'Go on?', run: options.locked })
}
