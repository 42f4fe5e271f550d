import { join } from 'node:path'
import { createAuthority } from '../../certificates/authority.ts'
import { signingKey } from '../../certificates/authorityKey.ts'
import { mustBeAbleToAsk } from '../../cli/confirmChanges.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import { afterPhase, beginRotation, waiting } from '../../deployment/certificates/rotation.ts'
import { allAtOnce, type Rollout } from '../../deployment/execution/rollout.ts'
import type { ClusterState, Rotation } from '../../deployment/state/clusterState.ts'
import { openState } from '../../deployment/state/openState.ts'
import { saveState } from '../../deployment/state/saveState.ts'
import { authorityFiles } from '../../deployment/state/stateFiles.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { lostOutcomes, type Survey, wholeLook } from '../../deployment/survey.ts'
import {
  clientsText,
  endedRotationText,
  laterPhasesText,
  pausedRotationText,
  phaseText,
  stoppedRotationText,
} from '../../output/deployment/rotation.ts'
import { openCluster } from '../../session/openCluster.ts'
import { refuseHosts } from '../../session/refuseHosts.ts'
import { namesOf } from '../../session/selectTargets.ts'
import { unlocking } from '../../session/unlocking.ts'
import { withHosts } from '../../session/withHosts.ts'
import { resolveSecrets } from '../resolveSecrets.ts'
import { beginningOnce, type PhasedRun, surveyedAgain, tellLast } from './phases.ts'
import { recordAuthorities } from './recordAuthorities.ts'
import type { CertificateOptions } from './renew.ts'
import { spreadCertificates } from './spreadCertificates.ts'
import { withoutBrought } from './withoutBrought.ts'

/** One host after another, each proved before the next. */
const oneByOne: Rollout = { ...allAtOnce, batch: { hosts: 1 } }

type RotateOptions = CertificateOptions & {
  /** Stops when every host trusts both. */
  readonly trustOnly: boolean
}

/**
 * `muster cert rotate-authority`: every host comes to trust a new authority beside the old one, then gets a leaf
 * of it, then trusts the old one no longer. A phase begins when every host of the file is in the one before; a
 * host that is down or fails ends the run there, and the same command goes on. Nothing is restarted.
 */
export async function rotateAuthority(options: RotateOptions): Promise<ExitCode> {
  const { context, yes } = options
  mustBeAbleToAsk(context, { yes, command: 'cert rotate-authority', look: 'cert list' })
  const opened = await openCluster(options)
  const { config, notes } = withoutBrought(opened.config, {
    what: 'rotate',
    rule: 'which muster does not change: add the new authority to its truststore yourself',
  })
  const secrets = await resolveSecrets(context, { ...opened, config })
  return withHosts({
    look: wholeLook,
    ...options,
    config,
    operation: 'cert rotate-authority',
    work: (survey, run) => rotate({ ...options, config, run: beginningOnce(run), secrets, notes, survey }),
  })
}

type Work = PhasedRun & {
  readonly trustOnly: boolean
  readonly notes: readonly string[]
  readonly survey: Survey
}

async function rotate(given: Work): Promise<ExitCode> {
  const { context, config } = given
  if (context.signal.aborted) throw new Interrupted()
  if (given.survey.reached.length === 0) {
    return refuseHosts({ ...given, failed: lostOutcomes(given.survey), failures: 'told' })
  }
  const opened = await openState(config)
  for (const note of opened.notes) context.stderr.write(`note: ${note}\n`)
  let kept = opened.state
  let state = await begun(given, unlocking(kept, given))
  let survey = given.survey
  const file = join(stateFolder(config), authorityFiles.certificate)
  for (let first = true; ; first = false) {
    const phase = state.rotation?.phase ?? 'trust'
    if (!first && !given.json) context.stdout.write('\n')
    const spread = await spreadCertificates({
      ...given,
      survey,
      kept,
      state,
      renew: false,
      yes: given.yes || !first,
      rollout: phase === 'move' ? oneByOne : allAtOnce,
      notes: notesOf(given, { phase, first, file }),
    })
    if (spread.exit !== exitCodes.ok) {
      if (spread.state.rotation !== undefined)
        await tellLast(given, stoppedRotationText(phase, namesOf(survey.lost.map(({ host }) => host))))
      return spread.exit
    }
    if (given.trustOnly && phase === 'trust') {
      await saveState({ ...config, before: spread.state, after: waiting(spread.state) })
      await recordAuthorities(context, config, spread.state)
      await tellLast(given, pausedRotationText(file))
      return exitCodes.ok
    }
    const next = afterPhase(spread.state)
    await saveState({ ...config, before: spread.state, after: next })
    await recordAuthorities(context, config, next)
    if (next.rotation === undefined) break
    kept = next
    state = next
    survey = await surveyedAgain(given, survey)
  }
  await tellLast(given, endedRotationText(file))
  return exitCodes.ok
}

/** The state of the rotation that is on its way, or else of a new one. */
async function begun({ context, config, trustOnly }: Work, state: ClusterState): Promise<ClusterState> {
  const { authority, rotation } = state
  if (authority === undefined) return state
  if (rotation === undefined) {
    const made = { cluster: config.cluster, now: context.now(), successorOf: authority }
    return beginRotation(state, await createAuthority(made))
  }
  if (rotation.phase !== 'trust' || trustOnly) return state
  // Every host was seen to trust both: one that is down now keeps nobody from going on.
  if (rotation.complete === true) return afterPhase(state)
  // The next phase signs: whoever cannot give the passphrase learns it before a host is changed.
  await signingKey(rotation.next)
  return state
}

function notesOf(
  { notes, trustOnly }: Work,
  {
    phase,
    first,
    file,
  }: { readonly phase: Rotation['phase']; readonly first: boolean; readonly file: string },
): readonly string[] {
  if (!first) return [phaseText(phase)]
  const later = trustOnly && phase === 'trust' ? [] : laterPhasesText(phase)
  return [phaseText(phase), ...later, ...clientsText(phase, { file, trustOnly }), ...notes]
}
