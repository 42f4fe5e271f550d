import { hasherOf } from '../../accounts/passwordHash.ts'
import type { CommandContext } from '../../cli/context.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { HostOutcome } from '../../deployment/events.ts'
import type { ResolvedSecrets } from '../../deployment/prepare.ts'
import { changedSecrets, comparePlans, planMismatch } from '../../deployment/savedPlan/comparePlans.ts'
import type { SavedPlan } from '../../deployment/savedPlan/savedPlan.ts'
import { savedPlanOf, secretMarks } from '../../deployment/savedPlan/savePlan.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { type ClusterOptions, type OpenedCluster, openCluster } from '../openCluster.ts'
import { failedOutcome } from '../outcomes.ts'
import type { Refusal } from '../runPlan.ts'
import { namesOf, type SelectedCluster, selectTargets, withAllHosts } from '../selectTargets.ts'
import { report, type Session } from '../session.ts'
import type { InstallDecision } from './decideInstall.ts'
import { readPlan } from './planFiles.ts'

/** Saved plan to apply, and the path of its file as typed. */
export type GivenPlan = { readonly file: string; readonly plan: SavedPlan }

const newPlan = 'Create and review a new plan with `muster plan --out`.'

/**
 * Reads a plan and the files that it must be of, with the plan's own hosts. Throws a `UsageError` where the
 * plan is of another file, or of another muster.
 */
export async function openSavedPlan(
  options: ClusterOptions & { readonly plan: string; readonly release?: string | undefined },
): Promise<OpenedCluster & { readonly given: GivenPlan }> {
  const { context, targets, plan: file } = options
  const chooses = (targets?.hosts.length ?? 0) + (targets?.services.length ?? 0) > 0
  if (chooses || targets?.shard !== undefined) {
    throw new UsageError(
      'A saved plan has its own hosts: --host, --service and --shard cannot be used with --plan.',
      'Use them with `muster plan --out` instead.',
    )
  }
  if (options.release !== undefined) {
    throw new UsageError(
      'A saved plan has its own release: --release cannot be used with --plan.',
      'Use it with `muster plan --out` instead.',
    )
  }
  const plan = await readPlan(context, file)
  const { targets: _, ...whole } = options
  const opened = await openCluster(whole)
  const all = withAllHosts(opened.config)
  const problem = planMismatch(plan, { config: all, version: context.version })
  if (problem !== undefined) {
    throw new UsageError(`The plan ${file} ${problem}.`, `${newPlan} --set must be given as it was then.`)
  }
  const hosts = plan.hosts.map(({ host }) => host)
  const connection = targets?.connection
  const config = selectTargets(all, { hosts, services: [], ...(connection && { connection }) })
  return { config, loaded: opened.loaded, given: { file, plan } }
}

/** Throws a `UsageError` if a secret has changed since the plan was saved. */
export async function requireSameSecrets(
  context: CommandContext,
  { file, plan }: GivenPlan,
  config: SelectedCluster,
  secrets: ResolvedSecrets,
): Promise<void> {
  const changed = changedSecrets(plan, await secretMarks({ ...config, secrets, hash: hasherOf(context.env) }))
  if (changed === undefined) return
  throw new UsageError(`Secrets have changed since the plan ${file} was made: ${changed}.`, newPlan)
}

/** Returns the plan of a run in the form that is saved. */
export async function planOf(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly secrets: ResolvedSecrets
  readonly state: ClusterState
  readonly decision: InstallDecision
  readonly release: string | undefined
}): Promise<SavedPlan> {
  const { context, config, secrets, state, decision, release } = options
  const marks = await secretMarks({ ...config, secrets, hash: hasherOf(context.env) })
  return savedPlanOf({
    config,
    planned: decision.planned,
    state,
    marks,
    version: context.version,
    release,
    now: context.now(),
  })
}

/**
 * Refuses a run if hosts differ from the saved plan, with one failure per host. Returns undefined if all match; a host
 * with other, irrelevant changes is reported.
 */
export async function refuseOutdatedPlan(
  session: Session,
  options: {
    readonly secrets: ResolvedSecrets
    readonly state: ClusterState
    readonly decision: InstallDecision
    readonly given: GivenPlan
  },
): Promise<Refusal | undefined> {
  const { config } = session
  const { plan, file } = options.given
  const changes = comparePlans(plan, await planOf({ ...session, ...options, release: plan.release }))
  const isMoved = changes.some(({ moved }) => moved.length > 0)
  if (!isMoved) {
    for (const { host } of changes.filter(({ touched }) => touched)) {
      report(session, `${host} was changed since the plan was saved; the planned changes are still the same`)
    }
    return undefined
  }
  const failed = namesOf(config.hosts).flatMap((host) => {
    const lines = changes.find((change) => change.host === host)?.moved ?? []
    return lines.length === 0 ? [] : [outcomeOf(host, { lines, file })]
  })
  return { failed, reported: false }
}

function outcomeOf(
  host: string,
  { lines, file }: { readonly lines: readonly string[]; readonly file: string },
): HostOutcome {
  // Without the file that a plan was made with, another runtime would be sent.
  const runtime = lines.some((line) => line.includes(': send the runtime '))
  return failedOutcome(host, {
    code: 'plan-outrun',
    message: [`the host has changed since ${file} was made:`, ...lines].join('\n    '),
    fix: `${runtime ? 'If the plan was made with --runtime-file, use it here too. Otherwise look' : 'Look'} at \`muster plan\`, then save a new plan with --out.`,
  })
}
