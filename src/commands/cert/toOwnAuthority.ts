import { join } from 'node:path'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { leavingOf } from '../../deployment/certificates/leaving.ts'
import { isGenerated } from '../../deployment/desired/stores.ts'
import { allAtOnce } from '../../deployment/execution/rollout.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { authorityFiles } from '../../deployment/state/stateFiles.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import type { Survey } from '../../deployment/survey.ts'
import {
  droppingText,
  endedLeavingText,
  leavingText,
  stoppedLeavingText,
} from '../../output/deployment/ownAuthority.ts'
import { namesOf } from '../../session/selectTargets.ts'
import { beginningOnce, surveyedAgain, tellLast } from './phases.ts'
import { recordAuthorities } from './recordAuthorities.ts'
import { type CertificateRun, spreadCertificates } from './spreadCertificates.ts'

/**
 * Brings hosts back from outside authorities to our own, which every truststore has all the while: first they get new
 * keys and certificates, and the state keeps an outside certificate until its host has proved the new one; then the
 * truststores let go of the authorities that signed for no host any more. Killed anywhere, the same run goes on.
 */
export async function toOwnAuthority(
  options: CertificateRun,
  {
    survey,
    state: kept,
    notes,
  }: { readonly survey: Survey; readonly state: ClusterState; readonly notes: readonly string[] },
): Promise<ExitCode> {
  const given = { ...options, run: beginningOnce(options.run) }
  const { context, config } = given
  const file = join(stateFolder(config), authorityFiles.certificate)
  const leaving = leavingOf(kept, namesOf(survey.reached.map(({ host }) => host)))
  const moved = await spreadCertificates({
    ...{ ...given, survey, kept, state: kept, renew: false, ownAuthority: true },
    notes: [...leavingText(leaving, file), ...notes],
  })
  const behind = leavingOf(moved.state, leaving.hosts).hosts
  if (moved.exit !== exitCodes.ok) {
    if (moved.ran && leaving.hosts.length > 0) await tellLast(given, stoppedLeavingText(behind))
    return moved.exit
  }
  if (leaving.dropped.length > 0) {
    if (!given.json) context.stdout.write('\n')
    const dropped = await spreadCertificates({
      ...{ ...given, kept: moved.state, state: moved.state, renew: false, yes: true, rollout: allAtOnce },
      survey: await surveyedAgain(given, survey),
      notes: [droppingText(leaving.dropped)],
    })
    if (dropped.exit !== exitCodes.ok) {
      await tellLast(given, stoppedLeavingText([]))
      return dropped.exit
    }
  }
  await recordAuthorities(context, config, moved.state)
  if (leaving.hosts.length === 0) return exitCodes.ok
  await tellLast(given, endedLeavingText(leaving, namesOf(config.left.filter(isGenerated))))
  return exitCodes.ok
}
