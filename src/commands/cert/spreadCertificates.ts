import { agreed } from '../../cli/confirmChanges.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { beforeOf } from '../../deployment/before/beforeOf.ts'
import {
  type CertificateTarget,
  decideCertificates,
} from '../../deployment/certificates/decideCertificates.ts'
import { afterProof } from '../../deployment/certificates/leaving.ts'
import type { Rollout } from '../../deployment/execution/rollout.ts'
import { wavesOf } from '../../deployment/execution/wave.ts'
import { installedSet } from '../../deployment/installedSet.ts'
import { givenPasswords, type ResolvedSecrets } from '../../deployment/prepare.ts'
import { preview } from '../../deployment/preview.ts'
import { installedProof } from '../../deployment/releases/provable.ts'
import { provedHosts } from '../../deployment/runs/runRecord.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { saveState } from '../../deployment/state/saveState.ts'
import { storesStep } from '../../deployment/steps/stores.ts'
import type { Survey } from '../../deployment/survey.ts'
import { verifyHost } from '../../deployment/verify.ts'
import { shortPrint } from '../../output/deployment/certificates.ts'
import type { planText } from '../../output/deployment/plan.ts'
import { wavesText } from '../../output/deployment/waves.ts'
import { chooseRenderer } from '../../session/chooseRenderer.ts'
import type { Run } from '../../session/inRun.ts'
import { refuseHosts } from '../../session/refuseHosts.ts'
import { runSteps } from '../../session/runSteps.ts'
import { namesOf, type SelectedCluster } from '../../session/selectTargets.ts'
import { showPlan } from '../../session/showPlan.ts'
import { type PassphraseOptions, unlocking } from '../../session/unlocking.ts'
import type { Transport } from '../../transport/transport.ts'

/** What a command that replaces certificates works with. */
export type CertificateRun = PassphraseOptions & {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly json: boolean
  readonly yes: boolean
  readonly rollout: Rollout
  readonly run: Run
  readonly secrets: ResolvedSecrets
}

/**
 * Brings the hosts that were reached the certificates that `state` wants, as an installation does, but nothing
 * else: shows the plan and asks, keeps the new leaves before any host gets one, spreads them, and proves that
 * each running API shows its own. No component is restarted. An outside certificate is kept until the one in its
 * place is proved. Gives the exit code, and the state that is kept then; `ran` where hosts had their turn.
 */
export async function spreadCertificates(
  options: CertificateRun & {
    readonly survey: Survey
    /** As it is on disk. */
    readonly kept: ClusterState
    readonly state: ClusterState
    readonly renew: boolean
    readonly ownAuthority?: boolean
    /** What the plan says first. */
    readonly notes: readonly string[]
  },
): Promise<{ readonly exit: ExitCode; readonly state: ClusterState; readonly ran: boolean }> {
  const { context, config, json, run, survey, kept, secrets, renew, rollout } = options
  const decided = await decideCertificates({
    cluster: config.cluster,
    surveyed: survey.reached,
    state: unlocking(options.state, options),
    secrets,
    renew,
    ...(options.ownAuthority === true ? { ownAuthority: true } : {}),
    now: context.now(),
  })
  if (!decided.ok) {
    const failed = decided.problems.map(({ host, code, message, fix }) => ({
      ...{ host, result: 'failed' as const, applied: [], seconds: {} },
      failure: { code, message, fix },
    }))
    return { exit: await refuseHosts({ ...options, failed, failures: 'tell' }), state: kept, ran: false }
  }
  const transports = new Map(survey.reached.map(({ host, transport }) => [host.name, transport]))
  const work = await Promise.all(
    decided.targets.flatMap((target) => {
      const transport = transports.get(target.host.name)
      return transport === undefined ? [] : [workOn(target, { transport, state: kept, secrets })]
    }),
  )
  const order = wavesText(wavesOf(work, rollout), rollout)
  const notes = [...options.notes, ...(order === undefined ? [] : [order]), ...decided.notes]
  await show({ ...options, notes, work })
  const nothing = work.every(({ steps }) => steps.length === 0)
  if (!nothing && !(await agreed(context, { yes: options.yes, question: 'Go on?', run }))) {
    context.stderr.write('Nothing was changed.\n')
    return { exit: exitCodes.failed, state: kept, ran: false }
  }
  const place = { directory: config.directory, cluster: config.cluster }
  await saveState({ ...place, before: kept, after: decided.state })
  const exit = await runSteps({ context, json, run, survey, work, rollout })
  const proved = provedHosts(run.recorder.record(exit))
  const shown = [...decided.onceProved].filter(([name]) => proved.includes(name))
  const state = afterProof(decided.state, new Map(shown))
  await saveState({ ...place, before: decided.state, after: state })
  return { exit, state, ran: true }
}

/** The steps of one host and their proof, which is of what is installed there, whatever the file says today. */
async function workOn(
  target: CertificateTarget,
  known: { readonly transport: Transport; readonly state: ClusterState; readonly secrets: ResolvedSecrets },
) {
  const { host, facts, layout, cluster } = target
  const { transport, state, secrets } = known
  const set = installedSet({ cluster, layout, facts })
  const components = set.components.filter((name) => facts.services.get(name)?.state === 'running')
  const given = givenPasswords(host, secrets)
  const installed = await installedProof({ host, facts, set: { ...set, components }, state, given })
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
    before: beforeOf(target),
  }
}

async function show(
  options: CertificateRun & {
    readonly notes: readonly string[]
    readonly work: Parameters<typeof planText>[0]['plans']
  },
): Promise<void> {
  const { context, config, json, notes, work, run } = options
  if (!json) {
    const left = namesOf(config.left)
    showPlan(context, { cluster: config.cluster, notes, plans: work, left })
    return
  }
  const renderer = run.follow(await chooseRenderer({ context, json, hosts: namesOf(config.hosts) }))
  for (const message of notes) renderer.emit({ type: 'notice', message })
  await renderer.end()
}
