import { mustBeAbleToAsk } from '../../cli/confirmChanges.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import type { Rollout } from '../../deployment/execution/rollout.ts'
import { openState } from '../../deployment/state/openState.ts'
import { lostOutcomes, type Survey, wholeLook } from '../../deployment/survey.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { refuseHosts } from '../../session/refuseHosts.ts'
import { rolloutFor } from '../../session/rolloutFor.ts'
import { withHosts } from '../../session/withHosts.ts'
import { resolveSecrets } from '../resolveSecrets.ts'
import { tellPart } from '../tellInstalled.ts'
import { type CertificateRun, spreadCertificates } from './spreadCertificates.ts'
import { toOwnAuthority } from './toOwnAuthority.ts'
import { withoutBrought } from './withoutBrought.ts'

export type CertificateOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
}

/**
 * `muster cert renew`: a new key and certificate for every chosen host, however long the old one is still good; with
 * `ownAuthority` instead for those alone whose certificate an outside authority signed. Running components show it
 * without a restart. Brought keystores are told and left alone.
 */
export async function renew(
  options: CertificateOptions & { readonly rollout: Rollout; readonly ownAuthority: boolean },
): Promise<ExitCode> {
  const { context, yes, ownAuthority } = options
  mustBeAbleToAsk(context, { yes, command: 'cert renew', look: 'cert list' })
  const opened = await openCluster(options)
  const { config, notes } = withoutBrought(opened.config, {
    what: 'renew',
    rule: 'which muster never renews',
  })
  const rollout = rolloutFor(config, options.rollout)
  const secrets = await resolveSecrets(context, { ...opened, config })
  return withHosts({
    look: wholeLook,
    ...options,
    config,
    operation: ownAuthority ? 'cert renew --own-authority' : 'cert renew',
    work: (survey, run) =>
      renewOn({ ...options, config, rollout, run, secrets }, { survey, notes, ownAuthority }),
  })
}

async function renewOn(
  given: CertificateRun,
  {
    survey,
    notes,
    ownAuthority,
  }: { readonly survey: Survey; readonly notes: readonly string[]; readonly ownAuthority: boolean },
): Promise<ExitCode> {
  const { context, config, json } = given
  if (context.signal.aborted) throw new Interrupted()
  if (survey.lost.length > 0) {
    return refuseHosts({ ...given, failed: lostOutcomes(survey), failures: 'told' })
  }
  const opened = await openState(config)
  for (const note of opened.notes) context.stderr.write(`note: ${note}\n`)
  const { state } = opened
  const exit = ownAuthority
    ? await toOwnAuthority(given, { survey, state, notes })
    : (await spreadCertificates({ ...given, survey, kept: state, state, renew: true, notes })).exit
  if (!json) tellPart({ context, config, json, emit: () => undefined })
  return exit
}
