import { join } from 'node:path'
import { createAuthority, signingKey } from '../../certificates/authority.ts'
import { requireConfirmation } from '../../cli/ask.ts'
import { type Define, flag } from '../../cli/command.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { UsageError } from '../../cli/usageError.ts'
import {
  advanceRotation,
  beginRotation,
  pausedRotation,
} from '../../deployment/certificates/authorityRotation.ts'
import { allInParallel, oneByOne } from '../../deployment/execution/rollout.ts'
import type { ClusterState, Rotation } from '../../deployment/state/clusterState.ts'
import { saveState } from '../../deployment/state/openState.ts'
import { authorityFiles } from '../../deployment/state/stateFiles.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { allFacts } from '../../deployment/survey.ts'
import {
  clientsText,
  laterPhasesText,
  phaseText,
  rotationDoneText,
  rotationPausedText,
  rotationStoppedText,
} from '../../output/deployment/rotation.ts'
import { withPassphrasePrompt } from '../../session/authorityPassphrase.ts'
import { allHostsOptions, passphraseOptions, runOnFiles } from '../../session/clusterOptions.ts'
import { openCluster } from '../../session/openCluster.ts'
import { resolveSecrets } from '../../session/resolveSecrets.ts'
import { changeFlags, confirmationOptions } from '../../session/runOptions.ts'
import { namesOf } from '../../session/selectTargets.ts'
import { openStateToChange } from '../../session/session.ts'
import { resurvey, withHosts } from '../../session/withHosts.ts'
import {
  type CertificateRun,
  deployCertificates,
  recordAuthorities,
  reportResult,
  withoutUserProvided,
} from './deployCertificates.ts'
import type { CertificateOptions } from './renew.ts'
import { hostsOfLost, replaceLostAuthority } from './replaceLostAuthority.ts'

export const certRotateAuthorityCommand: Define = (made, world) =>
  runOnFiles(
    passphraseOptions(confirmationOptions(allHostsOptions(made)))
      .option('--trust-only', 'stop once all hosts trust both, so that clients can be updated')
      .option('--lost', 'the state directory is lost: adopt what the hosts have, and make a new authority'),
    world,
    (options) =>
      rotateAuthority({
        ...options,
        ...changeFlags(made),
        trustOnly: flag(made, 'trustOnly'),
        lost: flag(made, 'lost'),
      }),
  )

type RotateOptions = CertificateOptions & {
  /** Stops when every host trusts both. */
  readonly trustOnly: boolean
  /** The key of the authority is lost with the state directory. */
  readonly lost: boolean
}

/**
 * Rotates the authority in three phases: every host trusts the new authority beside the old one, then gets a leaf of
 * it, then drops the old one. A phase begins when every host of the file has finished the one before; a host that is
 * unreachable or fails ends the run, and the same command continues. Restarts nothing.
 */
export async function rotateAuthority(options: RotateOptions): Promise<ExitCode> {
  const { context, yes, trustOnly, lost } = options
  const opened = await openCluster(options)
  const { config, notes } = withoutUserProvided(opened.config, {
    what: 'rotate',
    rule: 'which muster does not change: add the new authority to its truststore yourself',
  })
  requireConfirmation(context, { yes, command: 'cert rotate-authority', previewCommand: 'cert list' })
  const secrets = await resolveSecrets(context, { ...opened, config })
  return withHosts({
    ...options,
    config,
    operation: 'cert rotate-authority',
    locksCluster: true,
    scope: allFacts,
    requires: 'one',
    work: async (session) => {
      const run = { ...options, session, secrets, trustOnly, notes }
      const state = await openStateToChange(context, config)
      if (lost) return replaceLostAuthority(run, state)
      if (hostsOfLost(config.cluster, state).length > 0) {
        throw new UsageError(
          'The replacement of a lost authority is on its way.',
          'Continue it with `muster cert rotate-authority --lost`.',
        )
      }
      return rotate(run, state)
    },
  })
}

/** A rotation; each of its phases has a rollout of its own. */
type RotationRun = Omit<CertificateRun, 'rollout'> & {
  readonly trustOnly: boolean
  readonly notes: readonly string[]
}

async function rotate(given: RotationRun, opened: ClusterState): Promise<ExitCode> {
  const { trustOnly } = given
  const { context, config, json, yes } = given.session
  let { session } = given
  let kept = opened
  let state = await beginOrContinue(given, withPassphrasePrompt(kept, { ...given, context }))
  const file = join(stateFolder(config), authorityFiles.certificate)
  for (let first = true; ; first = false) {
    const phase = state.rotation?.phase ?? 'trust'
    if (!first && !json) context.stdout.write('\n')
    const deployed = await deployCertificates({
      ...given,
      session: { ...session, yes: yes || !first },
      kept,
      state,
      renew: false,
      rollout: phase === 'move' ? oneByOne : allInParallel,
      notes: notesOf(given, { phase, first, file }),
    })
    if (deployed.exit !== exitCodes.ok) {
      const unreachable = namesOf(session.survey.unreachable.map(({ host }) => host))
      if (deployed.state.rotation !== undefined)
        reportResult(session, rotationStoppedText(phase, unreachable))
      return deployed.exit
    }
    if (trustOnly && phase === 'trust') {
      await saveState({ ...config, before: deployed.state, after: pausedRotation(deployed.state) })
      await recordAuthorities(session, deployed.state)
      reportResult(session, rotationPausedText(file))
      return exitCodes.ok
    }
    const next = advanceRotation(deployed.state)
    await saveState({ ...config, before: deployed.state, after: next })
    await recordAuthorities(session, next)
    if (next.rotation === undefined) break
    kept = next
    state = next
    session = await resurvey(session)
  }
  reportResult(session, rotationDoneText(file))
  return exitCodes.ok
}

/** The state of the rotation that is on its way, or else of a new one. */
async function beginOrContinue(
  { session, trustOnly }: RotationRun,
  state: ClusterState,
): Promise<ClusterState> {
  const { context, config } = session
  const { authority, rotation } = state
  if (authority === undefined) return state
  if (rotation === undefined) {
    const made = { cluster: config.cluster, now: context.now(), successorOf: authority }
    return beginRotation(state, await createAuthority(made))
  }
  if (rotation.phase !== 'trust' || trustOnly) return state
  // Every host was seen to trust both: one that is down now keeps nobody from going on.
  if (rotation.complete === true) return advanceRotation(state)
  // The next phase signs: whoever cannot give the passphrase learns it before a host is changed.
  await signingKey(rotation.next)
  return state
}

function notesOf(
  { notes, trustOnly }: RotationRun,
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
