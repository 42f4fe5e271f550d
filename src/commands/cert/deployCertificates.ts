import { shortListOf } from '../../base/words.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import { UsageError } from '../../cli/usageError.ts'
import { findClusterRecord, registryDirectory, writeClusterRecord } from '../../client/registry.ts'
import { afterVerification } from '../../deployment/certificates/authorityRotation.ts'
import {
  type CertificateTarget,
  decideCertificates,
} from '../../deployment/certificates/decideCertificates.ts'
import { isGenerated } from '../../deployment/desired/generatedStores.ts'
import type { Rollout } from '../../deployment/execution/rollout.ts'
import type { HostFacts } from '../../deployment/facts/hostFacts.ts'
import { preview } from '../../deployment/hostPlan.ts'
import { installedSet } from '../../deployment/installedSet.ts'
import { spaceProblems } from '../../deployment/preflight/diskCheck.ts'
import { givenPasswords, type ResolvedSecrets } from '../../deployment/prepare.ts'
import { installedVerification } from '../../deployment/releases/installedVerification.ts'
import { installationSnapshot } from '../../deployment/snapshot/installationSnapshot.ts'
import {
  type ClusterState,
  trustedAuthorities,
  untrustedAuthorities,
} from '../../deployment/state/clusterState.ts'
import { saveState } from '../../deployment/state/openState.ts'
import { storesStep } from '../../deployment/steps/storesStep.ts'
import { verifyHost } from '../../deployment/verifyHost.ts'
import { shortPrint } from '../../output/deployment/certificates.ts'
import { type PassphraseOptions, withPassphrasePrompt } from '../../session/authorityPassphrase.ts'
import { orderNotes, type RunPlan, refusalFor, runPlan } from '../../session/runPlan.ts'
import { namesOf, type SelectedCluster } from '../../session/selectTargets.ts'
import { report, type Session, type SurveyedSession } from '../../session/session.ts'
import type { Transport } from '../../transport/transport.ts'

/** Input of the commands that replace certificates. */
export type CertificateRun = PassphraseOptions & {
  readonly session: SurveyedSession<HostFacts>
  readonly rollout: Rollout
  readonly secrets: ResolvedSecrets
}

/**
 * Deploys the certificates of `state` to the hosts that were reached, and nothing else: saves the new leaves before any
 * host gets one, and verifies that each running API serves its own. Restarts no component. Keeps an external
 * certificate until its replacement is verified. Returns the exit code and the saved state; `ran` is true if hosts were
 * changed.
 */
export async function deployCertificates(
  options: CertificateRun & {
    /** As it is on disk. */
    readonly kept: ClusterState
    readonly state: ClusterState
    readonly renew: boolean
    readonly ownAuthority?: boolean
    /** Returns true for an authority (PEM) whose key is lost: its certificates are replaced, too. */
    readonly isLost?: (authority: string) => boolean
    /** Notes at the top of the plan. */
    readonly notes: readonly string[]
  },
): Promise<{ readonly exit: ExitCode; readonly state: ClusterState; readonly ran: boolean }> {
  const { session, kept, secrets, renew, rollout } = options
  const { context, config, json, survey } = session
  const decided = await decideCertificates({
    cluster: config.cluster,
    surveyed: survey.reached,
    state: withPassphrasePrompt(options.state, { ...options, context }),
    secrets,
    renew,
    ...(options.ownAuthority === true ? { ownAuthority: true } : {}),
    ...(options.isLost && { isLost: options.isLost }),
    now: context.now(),
  })
  if (!decided.ok) {
    return { exit: await runPlan(session, refusalFor(decided.problems)), state: kept, ran: false }
  }
  const transports = new Map(survey.reached.map(({ host, transport }) => [host.name, transport]))
  const work = await Promise.all(
    decided.targets.flatMap((target) => {
      const transport = transports.get(target.host.name)
      return transport === undefined ? [] : [workOn(target, { transport, state: kept, secrets })]
    }),
  )
  const full = decided.targets.flatMap((target) => {
    const steps = work.find(({ host }) => host === target.host.name)?.steps ?? []
    return spaceProblems({ ...target, steps })
  })
  if (full.length > 0) {
    return { exit: await runPlan(session, refusalFor(full)), state: kept, ran: false }
  }
  const notes = [...options.notes, ...orderNotes(work, rollout), ...decided.notes]
  if (json) for (const note of notes) report(session, note)
  let state = kept
  let ran = false
  const exit = await runPlan(session, {
    work,
    notes,
    rollout,
    executeAndSave: async (execute) => {
      await saveState({ ...config, before: kept, after: decided.state })
      const executed = await execute()
      const shown = [...decided.onceProved].filter(([name]) => executed.verified.includes(name))
      state = afterVerification(decided.state, new Map(shown))
      ran = true
      await saveState({ ...config, before: decided.state, after: state })
      return executed.exit
    },
  })
  return { exit, state, ran }
}

/** Plans the steps of one host, and verifies what is installed there, whatever the file says today. */
async function workOn(
  target: CertificateTarget,
  known: { readonly transport: Transport; readonly state: ClusterState; readonly secrets: ResolvedSecrets },
): Promise<RunPlan['work'][number]> {
  const { host, facts, layout, cluster } = target
  const { transport, state, secrets } = known
  const set = installedSet({ cluster, layout, facts })
  const components = set.components.filter((name) => facts.services.get(name)?.state === 'running')
  const given = givenPasswords(host, secrets)
  const installed = await installedVerification({ host, facts, set: { ...set, components }, state, given })
  const { authorities, leaf } = target
  const proof = { ...installed, authorities, ...(leaf === undefined ? {} : { leaf }) }
  const verify = async (): Promise<string> =>
    components.length === 0
      ? 'no certificate verified: no component is running'
      : `certificate SHA-256 ${shortPrint(leaf ?? '')}… is shown, ${await verifyHost(transport, proof)}`
  return {
    host: host.name,
    address: host.address,
    transport,
    steps: preview([storesStep(target)], facts),
    verify,
    snapshot: installationSnapshot(target),
  }
}

/** Reports how a run of several phases ended. */
export const reportResult = (session: Session, message: string): void =>
  report(session, session.json ? message : `\n${message}`)

/** Records the authorities that the hosts trust now, if tapi's registry has the cluster; its hosts stay as recorded. */
export async function recordAuthorities({ context, config }: Session, state: ClusterState): Promise<void> {
  const { directory, cluster } = config
  const dir = registryDirectory(context.env)
  const before = await findClusterRecord({ dir, cluster, directory })
  if (before === undefined) return
  const all = [...new Set([...before.authorities, ...trustedAuthorities(state)])]
  const untrusted = untrustedAuthorities(state)
  const authorities = all.filter((authority) => !untrusted.includes(authority))
  await writeClusterRecord({ dir, cluster: { ...before, authorities } })
}

/**
 * Excludes the hosts with keystores of the user, and returns a note about them. Throws a `UsageError` if no host
 * remains.
 */
export function withoutUserProvided(
  config: SelectedCluster,
  words: {
    /** The verb of the command. */
    readonly what: string
    /** Second half of the note: how muster treats those keystores. */
    readonly rule: string
  },
): { readonly config: SelectedCluster; readonly notes: readonly string[] } {
  const provided = config.hosts.filter((host) => !isGenerated(host))
  const hosts = config.hosts.filter(isGenerated)
  if (provided.length === 0) return { config, notes: [] }
  const names = shortListOf(namesOf(provided), 8)
  const are = provided.length === 1 ? 'uses a keystore' : 'use keystores'
  const note = `${names} ${are} of your own (java-tls-keystore-path), ${words.rule}`
  if (hosts.length === 0) {
    throw new UsageError(
      `There is nothing to ${words.what}: ${note}.`,
      'Put a new keystore in its place, then run `muster install`: nothing is restarted for it.',
    )
  }
  return { config: { ...config, hosts, excluded: [...config.excluded, ...provided] }, notes: [note] }
}
