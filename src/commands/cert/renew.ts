import { join } from 'node:path'
import { requireConfirmation } from '../../cli/ask.ts'
import { type Define, flag } from '../../cli/command.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { retirementOf } from '../../deployment/certificates/authorityRotation.ts'
import { isGenerated } from '../../deployment/desired/generatedStores.ts'
import { allInParallel, type Rollout } from '../../deployment/execution/rollout.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { authorityFiles } from '../../deployment/state/stateFiles.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { allFacts } from '../../deployment/survey.ts'
import {
  droppedAuthoritiesText,
  outsideSwitchDoneText,
  outsideSwitchStoppedText,
  outsideSwitchText,
} from '../../output/deployment/rotation.ts'
import { passphraseOptions, runOnFiles } from '../../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { resolveSecrets } from '../../session/resolveSecrets.ts'
import { rolloutGiven, rolloutOptions } from '../../session/rolloutOptions.ts'
import { changeFlags, changeOptions } from '../../session/runOptions.ts'
import { namesOf, rolloutFor } from '../../session/selectTargets.ts'
import { openStateToChange, reportLimitedRun } from '../../session/session.ts'
import { resurvey, withHosts } from '../../session/withHosts.ts'
import {
  type CertificateRun,
  deployCertificates,
  recordAuthorities,
  reportResult,
  withoutUserProvided,
} from './deployCertificates.ts'

export const certRenewCommand: Define = (made, world) =>
  runOnFiles(
    rolloutOptions(passphraseOptions(changeOptions(made)), allInParallel).option(
      '--own-authority',
      "replace certificates of an external authority by the cluster's own",
    ),
    world,
    (options) =>
      renew({
        ...options,
        ...changeFlags(made),
        rollout: rolloutGiven(made, allInParallel),
        ownAuthority: flag(made, 'ownAuthority'),
      }),
  )

export type CertificateOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
}

/**
 * Creates a new key and certificate for every selected host; with `ownAuthority` only for those with a certificate of
 * an external authority. Running components serve it without a restart. Keystores of the user are reported and stay.
 */
export async function renew(
  options: CertificateOptions & { readonly rollout: Rollout; readonly ownAuthority: boolean },
): Promise<ExitCode> {
  const { context, yes, json, ownAuthority } = options
  const opened = await openCluster(options)
  const { config, notes } = withoutUserProvided(opened.config, {
    what: 'renew',
    rule: 'which muster never renews',
  })
  const rollout = rolloutFor(config, options.rollout)
  requireConfirmation(context, { yes, command: 'cert renew', previewCommand: 'cert list' })
  const secrets = await resolveSecrets(context, { ...opened, config })
  return withHosts({
    ...options,
    config,
    operation: ownAuthority ? 'cert renew --own-authority' : 'cert renew',
    // It retires authorities that all hosts trust.
    locksCluster: ownAuthority,
    scope: allFacts,
    requires: 'all',
    work: async (session) => {
      const state = await openStateToChange(context, config)
      const certificates = { ...options, session, rollout, secrets }
      const { exit } = ownAuthority
        ? { exit: await returnToClusterAuthority(certificates, { state, notes }) }
        : await deployCertificates({ ...certificates, kept: state, state, renew: true, notes })
      if (!json) reportLimitedRun(session)
      return exit
    },
  })
}

/**
 * Replaces certificates of external authorities by those of the cluster's own, which every truststore has anyway: first
 * hosts get new keys and certificates, and the state keeps an external certificate until its host serves the new one;
 * then the truststores drop the authorities that no host uses any more. An interrupted run can be repeated.
 */
async function returnToClusterAuthority(
  given: CertificateRun,
  { state: kept, notes }: { readonly state: ClusterState; readonly notes: readonly string[] },
): Promise<ExitCode> {
  const { session } = given
  const { context, config, json, survey } = session
  const file = join(stateFolder(config), authorityFiles.certificate)
  const leaving = retirementOf(kept, namesOf(survey.reached.map(({ host }) => host)))
  const moved = await deployCertificates({
    ...{ ...given, kept, state: kept, renew: false, ownAuthority: true },
    notes: [...outsideSwitchText(leaving, file), ...notes],
  })
  const behind = retirementOf(moved.state, leaving.hosts).hosts
  if (moved.exit !== exitCodes.ok) {
    if (moved.ran && leaving.hosts.length > 0) reportResult(session, outsideSwitchStoppedText(behind))
    return moved.exit
  }
  if (leaving.dropped.length > 0) {
    if (!json) context.stdout.write('\n')
    const dropped = await deployCertificates({
      ...{ ...given, kept: moved.state, state: moved.state, renew: false, rollout: allInParallel },
      session: { ...(await resurvey(session)), yes: true },
      notes: [droppedAuthoritiesText(leaving.dropped)],
    })
    if (dropped.exit !== exitCodes.ok) {
      reportResult(session, outsideSwitchStoppedText([]))
      return dropped.exit
    }
  }
  await recordAuthorities(session, moved.state)
  if (leaving.hosts.length === 0) return exitCodes.ok
  reportResult(session, outsideSwitchDoneText(leaving, namesOf(config.excluded.filter(isGenerated))))
  return exitCodes.ok
}
