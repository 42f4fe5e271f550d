import { requireConfirmation } from '../cli/ask.ts'
import type { Define } from '../cli/command.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { tableLayout } from '../cli/terminal.ts'
import type { HostOutcome } from '../deployment/events.ts'
import type { Rollout } from '../deployment/execution/rollout.ts'
import { allInParallel } from '../deployment/execution/rollout.ts'
import type { HostFacts } from '../deployment/facts/hostFacts.ts'
import { failureOf, isUnreachable } from '../deployment/hostFailure.ts'
import { preview } from '../deployment/hostPlan.ts'
import { installedSet } from '../deployment/installedSet.ts'
import { layoutOf } from '../deployment/layout.ts'
import { mapHosts } from '../deployment/mapHosts.ts'
import { restoreRelease, rollbackPlan } from '../deployment/plans/rollbackPlan.ts'
import { spaceProblems } from '../deployment/preflight/diskCheck.ts'
import { nameParts, releasesByRecency, rollbackTarget } from '../deployment/releases/chooseRelease.ts'
import { requireSettingsSupport } from '../deployment/releases/compatibility.ts'
import { installedVerification } from '../deployment/releases/installedVerification.ts'
import { leftoverSnapshot } from '../deployment/snapshot/installationSnapshot.ts'
import { type ClusterState, emptyState } from '../deployment/state/clusterState.ts'
import { readState } from '../deployment/state/openState.ts'
import { allFacts, type SurveyedHost } from '../deployment/survey.ts'
import { verifyHost } from '../deployment/verifyHost.ts'
import { type HostReleases, releasesText } from '../output/deployment/releases.ts'
import type { Secret } from '../secrets/secret.ts'
import { runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { readUserPasswords } from '../session/resolveSecrets.ts'
import { rolloutGiven, rolloutOptions } from '../session/rolloutOptions.ts'
import { changeFlags, lockWaitOption } from '../session/runOptions.ts'
import { changes, orderNotes, type Refusal, type RunPlan, refusalFor, runPlan } from '../session/runPlan.ts'
import { rolloutFor } from '../session/selectTargets.ts'
import type { SurveyedSession } from '../session/session.ts'
import { withHosts } from '../session/withHosts.ts'

export const rollbackCommand: Define = (made, world) =>
  runOnFiles(
    rolloutOptions(
      lockWaitOption(
        targetOptions(made)
          .option('--to <release>', 'rollback target: a release or version (default: the previous one)')
          .option('-y, --yes', 'change hosts without asking'),
      ).option('--json', 'print events as JSON lines'),
      allInParallel,
    ),
    world,
    (options) =>
      rollback({
        ...options,
        ...changeFlags(made),
        to: made.opts<{ to?: string }>().to,
        rollout: rolloutGiven(made, allInParallel),
      }),
  )

type RollbackOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  readonly rollout: Rollout
  /** Name or version of a release; without it, each host's own one before the current. */
  readonly to: string | undefined
}

/** Input of the decision beside the facts of the hosts. */
type Known = {
  readonly to: string | undefined
  readonly rollout: Rollout
  readonly state: ClusterState
  /** By host and user, what the file gives. */
  readonly passwords: ReadonlyMap<string, ReadonlyMap<string, Secret>>
}

/** Host with its planned work. */
type PlannedRollback = { readonly work: RunPlan['work'][number]; readonly releases: HostReleases }

/** Host that cannot go back, with the reason. */
type RefusedRollback = { readonly outcome: HostOutcome; readonly releases: HostReleases }

/**
 * Returns every host to a release that is still there, and verifies its logins. If one host cannot, none does, so that
 * versions do not mix.
 */
export async function rollback(options: RollbackOptions): Promise<ExitCode> {
  const { context, yes, to } = options
  const opened = await openCluster(options)
  const { config } = opened
  const rollout = rolloutFor(config, options.rollout)
  requireConfirmation(context, { yes, command: 'rollback', previewCommand: 'status' })
  const passwords = await readUserPasswords(context, opened)
  const { state = emptyState } = (await readState(config)) ?? {}
  return withHosts({
    ...options,
    config,
    operation: 'rollback',
    scope: allFacts,
    requires: 'all',
    work: async (session) => runPlan(session, await decide(session, { to, rollout, state, passwords })),
  })
}

/** Decides where each host goes, after showing the releases that the hosts have. */
async function decide(session: SurveyedSession<HostFacts>, known: Known): Promise<RunPlan | Refusal> {
  const { context, json, run, survey } = session
  const { rollout } = known
  const found = await mapHosts({
    items: survey.reached,
    forks: context.forks,
    map: (surveyed) => decideHost(session.config.cluster, surveyed, known),
  })
  if (!json) {
    const table = releasesText(
      found.map(({ releases }) => releases),
      tableLayout(context),
    )
    context.stdout.write(`${table}\n`)
  }
  const failed = found.flatMap((one) => ('outcome' in one ? [one.outcome] : []))
  if (failed.length > 0) return { failed, reported: false }
  const work = found.flatMap((one) => ('work' in one ? [one.work] : []))
  const full = survey.reached.flatMap((one) => {
    const steps = work.find(({ host }) => host === one.host.name)?.steps ?? []
    return spaceProblems({ ...one, steps })
  })
  if (full.length > 0) return refusalFor(full)
  const order = orderNotes(work, rollout)
  if (!changes({ work })) return { work, rollout, notes: order }
  const forward = forwardNote(found.flatMap(({ releases: { next } }) => next ?? []))
  run.setClosingText(`  note: ${forward}\n`)
  return { work, rollout, notes: [...order, forward] }
}

/** Says that an installation undoes a rollback, and how to keep these releases, one of each host. */
function forwardNote(releases: readonly string[]): string {
  const names = [releases, releases.map((id) => nameParts(id).version)].map((all) => [...new Set(all)])
  const [name = '<release>'] = names.find(({ length }) => length === 1) ?? []
  return `the next \`muster install\` returns to the release of the muster that runs it; \`muster install --release ${name}\` keeps this one`
}

async function decideHost(
  cluster: string,
  { host, facts, transport }: SurveyedHost,
  { to, state, passwords }: Known,
): Promise<PlannedRollback | RefusedRollback> {
  const set = installedSet({ cluster, layout: layoutOf(host.installDirectory), facts })
  const known = {
    host: host.name,
    releases: releasesByRecency(facts.installation),
    current: facts.installation.currentRelease,
  }
  try {
    const { id: release } = rollbackTarget(facts, to)
    const steps = preview(rollbackPlan({ set, release }), facts)
    if (steps.length > 0) await requireSettingsSupport(transport, { ...set, release })
    const given = passwords.get(host.name) ?? new Map()
    const proof = await installedVerification({ host, facts, set, state, given })
    return {
      releases: { ...known, next: release },
      work: {
        host: host.name,
        address: host.address,
        transport,
        steps,
        verify: () => verifyHost(transport, proof),
        snapshot: {
          ...leftoverSnapshot({ ...set, facts }),
          restoreSteps: restoreRelease({ facts, set, release }),
        },
      },
    }
  } catch (error) {
    const result = isUnreachable(error) ? 'unreachable' : 'failed'
    return {
      releases: { ...known, next: undefined },
      outcome: { host: host.name, result, applied: [], failure: failureOf(error), seconds: {} },
    }
  }
}
