import { join } from 'node:path'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { UsageError } from '../../cli/usageError.ts'
import {
  adoptHosts,
  adoptUsers,
  isLostAuthority,
  isUnknownHost,
  readInstalledSecrets,
} from '../../deployment/certificates/adoptHosts.ts'
import { allInParallel, oneByOne } from '../../deployment/execution/rollout.ts'
import { failureOf } from '../../deployment/hostFailure.ts'
import { layoutOf } from '../../deployment/layout.ts'
import { mapHosts } from '../../deployment/mapHosts.ts'
import { givenPasswords, storePasswords } from '../../deployment/prepare.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { authorityFiles } from '../../deployment/state/stateFiles.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { StepError } from '../../deployment/stepError.ts'
import {
  adoptionText,
  lostPausedText,
  lostPhasesText,
  lostPhaseText,
  lostStoppedText,
  rotationDoneText,
} from '../../output/deployment/rotation.ts'
import { installedHosts, recordInstalled } from '../../session/recordInstalled.ts'
import { refusalFor, runPlan } from '../../session/runPlan.ts'
import { resurvey } from '../../session/withHosts.ts'
import { type CertificateRun, deployCertificates, reportResult } from './deployCertificates.ts'

/** Replacement of a lost authority; each of its phases has a rollout of its own. */
type LostRun = Omit<CertificateRun, 'rollout'> & {
  /** Stops when every host trusts both. */
  readonly trustOnly: boolean
  readonly notes: readonly string[]
}

/**
 * Replaces an authority whose key is lost with the state directory, in the phases of a rotation. Adopts machines, users
 * and certificates as the hosts have them: the old authority is one that signed elsewhere, and nothing needs its key.
 * The same command continues after an interruption. Restarts nothing.
 */
export async function replaceLostAuthority(given: LostRun, kept: ClusterState): Promise<ExitCode> {
  const { trustOnly } = given
  let { session } = given
  const { context, config, json } = session
  const file = join(stateFolder(config), authorityFiles.certificate)
  const adoption = await adopt(given, kept)
  if ('problems' in adoption) return runPlan(session, refusalFor(adoption.problems))
  const { cluster } = config
  const isLost = (authority: string): boolean => isLostAuthority(cluster, adoption.state, authority)
  const isOver = adoption.isKnown && hostsOfLost(cluster, adoption.state).length === 0
  if (isOver && kept.rotation !== undefined) {
    throw new UsageError(
      'Nothing is lost: the state directory has the keys of a rotation that is on its way.',
      'Continue it with `muster cert rotate-authority`.',
    )
  }
  let state = adoption.state
  let onDisk = kept
  // Truststores are compared even if no certificate is left: a run may have ended before its last phase.
  const phases = isOver ? lostPhases.slice(-1) : lostPhases
  for (const phase of phases) {
    const isFirst = phase === phases[0]
    if (!isFirst) {
      session = await resurvey(session)
      if (!json) context.stdout.write('\n')
    }
    const deployed = await deployCertificates({
      ...given,
      session: { ...session, yes: session.yes || !isFirst },
      kept: onDisk,
      state,
      renew: false,
      ...(phase === 'move' && { isLost }),
      rollout: phase === 'move' ? oneByOne : allInParallel,
      notes: isFirst
        ? [...adoption.notes, ...lostPhasesText(phases, { file, trustOnly }), ...given.notes]
        : [lostPhaseText(phase)],
    })
    if (deployed.ran) {
      const seen = installedHosts(cluster, session.survey.reached)
      await recordInstalled({ context, config, state: deployed.state, seen })
    }
    if (deployed.exit !== exitCodes.ok) {
      if (deployed.ran) reportResult(session, lostStoppedText(phase, hostsOfLost(cluster, deployed.state)))
      return deployed.exit
    }
    if (trustOnly && phase === 'trust') {
      reportResult(session, lostPausedText(file))
      return exitCodes.ok
    }
    state = deployed.state
    onDisk = deployed.state
  }
  if (!isOver) reportResult(session, rotationDoneText(file))
  return exitCodes.ok
}

/** Returns the names of hosts with a certificate of an authority whose key is lost. */
export const hostsOfLost = (cluster: string, state: ClusterState): readonly string[] =>
  [...state.hosts].flatMap(([name, { outside }]) =>
    outside !== undefined && isLostAuthority(cluster, state, outside) ? [name] : [],
  )

const lostPhases = ['trust', 'move', 'drop'] as const

/** Adopts what the state directory does not know, and says so. */
async function adopt(
  { session, secrets }: LostRun,
  kept: ClusterState,
): Promise<
  | {
      readonly state: ClusterState
      readonly notes: readonly string[]
      /** The state directory knew the authority and all hosts that were reached. */
      readonly isKnown: boolean
    }
  | { readonly problems: readonly StepError[] }
> {
  const { context, config, survey } = session
  const { cluster } = config
  const { reached } = survey
  const now = context.now()
  const unknown = reached.filter((one) => isUnknownHost(cluster, kept, now, one))
  const read = await mapHosts({
    items: unknown,
    forks: context.forks,
    map: async (one) => {
      try {
        const layout = layoutOf(one.host.installDirectory)
        return { ...one, secrets: await readInstalledSecrets(one.transport, layout) }
      } catch (error) {
        return { problem: new StepError({ host: one.host.name, ...failureOf(error), cause: error }) }
      }
    },
  })
  const problems = read.flatMap((one) => ('problem' in one ? [one.problem] : []))
  if (problems.length > 0) return { problems }
  const hosts = await adoptHosts({
    cluster,
    unknown: read.flatMap((one) => ('problem' in one ? [] : [one])),
    reached,
    state: kept,
    given: (host) => storePasswords(secrets, host),
    now,
  })
  if (!hosts.ok) return hosts
  const logins = reached.map(({ host, facts }) => ({ host, facts, given: givenPasswords(host, secrets) }))
  const users = await adoptUsers(logins, hosts.state)
  const isKnown = kept.authority !== undefined && unknown.length === 0
  if (isKnown) return { state: kept, notes: [], isKnown }
  return { state: users.state, notes: adoptionText(cluster, { ...hosts, users }), isKnown }
}
