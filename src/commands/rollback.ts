import { agreed, mustBeAbleToAsk } from '../cli/confirmChanges.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { tableLayout, writeText } from '../cli/terminal.ts'
import { forgetting } from '../deployment/before/beforeOf.ts'
import type { HostOutcome } from '../deployment/events.ts'
import { hostsAtOnce } from '../deployment/execution/execute.ts'
import type { HostWork } from '../deployment/execution/hostRun.ts'
import type { Rollout } from '../deployment/execution/rollout.ts'
import { wavesOf } from '../deployment/execution/wave.ts'
import { failureOf, isUnreachable } from '../deployment/failure.ts'
import { installedSet } from '../deployment/installedSet.ts'
import { layoutOf } from '../deployment/layout.ts'
import { mapLimit } from '../deployment/mapLimit.ts'
import { rollbackPlan } from '../deployment/plans/rollback.ts'
import { preview } from '../deployment/preview.ts'
import { nameParts, releaseToGoTo } from '../deployment/releases/choose.ts'
import { mustUnderstand } from '../deployment/releases/fitness.ts'
import { byTurn } from '../deployment/releases/kept.ts'
import { installedProof } from '../deployment/releases/provable.ts'
import { type ClusterState, emptyState } from '../deployment/state/clusterState.ts'
import { readState } from '../deployment/state/openState.ts'
import { lostOutcomes, type Survey, type SurveyedHost, wholeLook } from '../deployment/survey.ts'
import { verifyHost } from '../deployment/verify.ts'
import { type HostReleases, releasesText } from '../output/deployment/releases.ts'
import { wavesText } from '../output/deployment/waves.ts'
import type { Secret } from '../secrets/secret.ts'
import type { Run } from '../session/inRun.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { refuseHosts } from '../session/refuseHosts.ts'
import { rolloutFor } from '../session/rolloutFor.ts'
import { runSteps } from '../session/runSteps.ts'
import { namesOf, type SelectedCluster } from '../session/selectTargets.ts'
import { showPlan } from '../session/showPlan.ts'
import { withHosts } from '../session/withHosts.ts'
import { readUserPasswords } from './readUserPasswords.ts'

type RollbackOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  readonly rollout: Rollout
  /** Name or version of a release; without it, each host's own one before the current. */
  readonly to: string | undefined
}

/** Says that an installation undoes a rollback, and how to keep these releases, one of each host. */
function forwardNote(releases: readonly string[]): string {
  const names = [releases, releases.map((id) => nameParts(id).version)].map((all) => [...new Set(all)])
  const [name = '<release>'] = names.find(({ length }) => length === 1) ?? []
  return `the next \`muster install\` goes forward again, to the release of the muster that runs it; \`muster install --release ${name}\` keeps it back`
}

/** A host and what is to be done there. */
type Going = { readonly plan: HostWork & { readonly address: string }; readonly releases: HostReleases }

/** A host that cannot go back, and why. */
type Staying = { readonly outcome: HostOutcome; readonly releases: HostReleases }

/**
 * `muster rollback`: every host goes back to a release that is still there, and its logins are proved. Where
 * one host cannot, none does: two versions at once are nobody's wish.
 */
export async function rollback(options: RollbackOptions): Promise<ExitCode> {
  const { context, yes, json, lockWait } = options
  mustBeAbleToAsk(context, { yes, command: 'rollback', look: 'status' })
  const loaded = await openCluster(options)
  const { config } = loaded
  const rollout = rolloutFor(config, options.rollout)
  const passwords = await readUserPasswords(context, loaded)
  const opened = await readState({ directory: config.directory, cluster: config.cluster })
  const state = opened?.state ?? emptyState
  return withHosts({
    look: wholeLook,
    context,
    config,
    json,
    operation: 'rollback',
    lockWait,
    work: (survey, run) => goBack({ ...options, rollout, config, survey, run, passwords, state }),
  })
}

type Work = RollbackOptions & {
  readonly config: SelectedCluster
  readonly survey: Survey
  readonly run: Run
  /** By host and user, what the file gives. */
  readonly passwords: ReadonlyMap<string, ReadonlyMap<string, Secret>>
  readonly state: ClusterState
}

async function goBack(options: Work): Promise<ExitCode> {
  const { context, config, survey, run, json, yes } = options
  if (context.signal.aborted) throw new Interrupted()
  if (survey.lost.length > 0) {
    return refuseHosts({ ...options, failed: lostOutcomes(survey), failures: 'told' })
  }
  const found = await mapLimit({
    items: survey.reached,
    limit: hostsAtOnce,
    map: (surveyed) => judge(options, surveyed),
  })
  if (!json) {
    const table = releasesText(
      found.map(({ releases }) => releases),
      tableLayout(context),
    )
    writeText(context, `${table}\n`)
  }
  const staying = found.flatMap((one) => ('outcome' in one ? [one.outcome] : []))
  if (staying.length > 0) return refuseHosts({ ...options, failed: staying, failures: 'tell' })
  const plans = found.flatMap((one) => ('plan' in one ? [one.plan] : []))
  const nothing = plans.every(({ steps }) => steps.length === 0)
  const forward = forwardNote(found.flatMap(({ releases: { next } }) => next ?? []))
  if (!json) {
    const order = wavesText(wavesOf(plans, options.rollout), options.rollout)
    const notes = [...(order === undefined ? [] : [order]), ...(nothing ? [] : [forward])]
    showPlan(context, { cluster: config.cluster, notes, plans, left: namesOf(config.left) })
  }
  if (!nothing && !(await agreed(context, { yes, question: 'Go on?', run }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  if (!nothing) run.conclude(`  note: ${forward}\n`)
  return runSteps({ context, json, run, survey, work: plans, rollout: options.rollout })
}

async function judge(options: Work, surveyed: SurveyedHost): Promise<Going | Staying> {
  const { config, passwords, state } = options
  const { host, facts, transport } = surveyed
  const set = installedSet({ cluster: config.cluster, layout: layoutOf(host.installDirectory), facts })
  const known = {
    host: host.name,
    releases: byTurn(facts.installation),
    current: facts.installation.currentRelease,
  }
  try {
    const { id: release } = releaseToGoTo(facts, options.to)
    const steps = preview(rollbackPlan({ facts, set, release }), facts)
    if (steps.length > 0) await mustUnderstand(transport, { ...set, release })
    const proof = await installedProof({
      host,
      facts,
      set,
      state,
      given: passwords.get(host.name) ?? new Map(),
    })
    return {
      releases: { ...known, next: release },
      plan: {
        host: host.name,
        address: host.address,
        transport,
        steps,
        verify: () => verifyHost(transport, proof),
        before: forgetting({ ...set, facts }),
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
