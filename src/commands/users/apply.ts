import { randomBytes } from 'node:crypto'
import { createHasher, type Hasher } from '../../accounts/hasher.ts'
import { agreed, mustBeAbleToAsk } from '../../cli/confirmChanges.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import type { HostWork } from '../../deployment/execution/hostRun.ts'
import type { InstalledFacts } from '../../deployment/facts/model.ts'
import { recorded } from '../../deployment/hostIdentity.ts'
import { installedSet } from '../../deployment/installedSet.ts'
import { layoutOf } from '../../deployment/layout.ts'
import { preview } from '../../deployment/preview.ts'
import { installedProvable } from '../../deployment/releases/provable.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { type OpenedState, openState } from '../../deployment/state/openState.ts'
import { saveState } from '../../deployment/state/saveState.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { removedUsersStep } from '../../deployment/steps/removedUsers.ts'
import { usersStep } from '../../deployment/steps/users.ts'
import { installedLook, lostOutcomes, type Survey } from '../../deployment/survey.ts'
import { type DecidedHost, decideUsers, extraNotes } from '../../deployment/users/decideUsers.ts'
import { hashEarly } from '../../deployment/users/hashEarly.ts'
import { settled } from '../../deployment/users/rotation.ts'
import { verifyHost } from '../../deployment/verify.ts'
import { listOf } from '../../diagnostics/words.ts'
import type { planText } from '../../output/deployment/plan.ts'
import type { Secret } from '../../secrets/secret.ts'
import { chooseRenderer } from '../../session/chooseRenderer.ts'
import type { Run } from '../../session/inRun.ts'
import { madePasswordText } from '../../session/madePasswordText.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { refuseHosts } from '../../session/refuseHosts.ts'
import { runSteps } from '../../session/runSteps.ts'
import { namesOf, type SelectedCluster } from '../../session/selectTargets.ts'
import { showPlan } from '../../session/showPlan.ts'
import { withKnownHosts } from '../../session/withHosts.ts'
import type { Transport } from '../../transport/transport.ts'
import { readUserPasswords } from '../readUserPasswords.ts'
import { tellPart } from '../tellInstalled.ts'
import { mustNameUsers } from './mustNameUsers.ts'

type ApplyOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  /** Removes the users that the file does not name. */
  readonly prune: boolean
  /** Makes a password also for users whose own is not known here. */
  readonly generate: boolean
}

type Work = ApplyOptions & {
  readonly config: SelectedCluster
  readonly survey: Survey<InstalledFacts>
  readonly run: Run
  readonly opened: OpenedState
  /** By host and user, what the file gives. */
  readonly given: ReadonlyMap<string, ReadonlyMap<string, Secret>>
  readonly hash: Hasher
}

const operation = 'users apply'

/**
 * `muster users apply`: brings every host to the users that the file names, and proves each login; nothing is
 * restarted. Users that the file does not name are told of, and removed with --prune alone.
 */
export async function applyUsers(options: ApplyOptions): Promise<ExitCode> {
  const { context, yes } = options
  mustBeAbleToAsk(context, { yes, command: operation, look: 'users list' })
  const loaded = await openCluster(options)
  const { config } = loaded
  mustNameUsers(config)
  const given = await readUserPasswords(context, loaded)
  const hash = createHasher()
  return withKnownHosts({
    look: installedLook,
    ...options,
    config,
    operation,
    known: async () => {
      const opened = await openState({ directory: config.directory, cluster: config.cluster })
      hashEarly(hash, given, opened.state)
      return { opened, machines: recorded(opened.state) }
    },
    work: (survey, run, { opened }) => applyTo({ ...options, config, survey, run, opened, given, hash }),
  })
}

async function applyTo(work: Work): Promise<ExitCode> {
  const { context, config, survey, run, opened, json } = work
  if (context.signal.aborted) throw new Interrupted()
  if (survey.lost.length > 0) return refuseHosts({ ...work, failed: lostOutcomes(survey), failures: 'told' })
  const place = { directory: config.directory, cluster: config.cluster }
  for (const note of opened.notes) context.stderr.write(`note: ${note}\n`)
  const decided = await decideUsers({
    hosts: survey.reached.map(({ host, facts }) => ({
      host,
      facts,
      given: work.given.get(host.name) ?? new Map(),
    })),
    left: config.left,
    state: opened.state,
    generate: work.generate,
    hash: work.hash,
    random: randomBytes,
  })
  if (!decided.ok) {
    const failed = decided.problems.map(({ host, code, message, fix }) => ({
      ...{ host, result: 'failed' as const, applied: [], seconds: {} },
      failure: { code, message, fix },
    }))
    return refuseHosts({ ...work, failed, failures: 'tell' })
  }
  const { state, made } = decided
  const transports = new Map(survey.reached.map(({ host, transport }) => [host.name, transport]))
  const plans = decided.hosts.flatMap((one) => {
    const transport = transports.get(one.host.name)
    return transport === undefined ? [] : [workOn(work, one, { transport, state })]
  })
  show(work, { plans, notes: work.prune ? [] : extraNotes(decided.hosts) })
  const nothing = plans.every(({ steps }) => steps.length === 0)
  if (!nothing && !(await agreed(context, { yes: work.yes, question: 'Go on?', run }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  await saveState({ ...place, before: opened.state, after: state })
  const renderer = run.follow(await chooseRenderer({ context, json, hosts: namesOf(config.hosts) }))
  // Before the hosts are touched: after a run that was killed it is told nowhere else.
  if (!json) context.stdout.write(madePasswordText(made, place))
  else
    for (const { user } of made) {
      const message = `the password of ${user} was generated; it is stored in ${stateFolder(place)}`
      renderer.emit({ type: 'notice', message })
    }
  const exit = await runSteps({ context, json, run, survey, work: plans })
  tellPart({ context, config, json, emit: renderer.emit })
  if (exit !== exitCodes.ok || config.left.length > 0) return exit
  await saveState({ ...place, before: state, after: settled(state, givenEverywhere(work)) })
  return exit
}

/** What is to be done on one host, and the proof of it where its components listen now, whatever the file says. */
function workOn(
  { config, prune }: Work,
  { host, facts, users, extra }: DecidedHost,
  { transport, state }: { readonly transport: Transport; readonly state: ClusterState },
): HostWork & { readonly address: string } {
  const layout = layoutOf(host.installDirectory)
  const set = installedSet({ cluster: config.cluster, layout, facts })
  const common = { ...set, facts, folder: layout.current }
  const names = prune ? extra : []
  const steps = [usersStep({ ...common, users, undo: true }), removedUsersStep({ ...common, names })]
  const runs = set.components.filter((name) => facts.services.get(name)?.state === 'running')
  const stopped = set.components.filter((name) => !runs.includes(name))
  const proof = installedProvable({ host, facts, set: { ...set, components: runs }, state, users })
  const verify = async (): Promise<string> => {
    if (runs.length === 0) return 'no login verified: no component is running'
    const proved = await verifyHost(transport, { ...proof, running: true, gone: names })
    return stopped.length === 0 ? proved : `${proved}; ${listOf(stopped)} not verified: not running`
  }
  return { host: host.name, address: host.address, transport, steps: preview(steps, facts), verify }
}

function show(
  { context, config, json }: Work,
  told: Pick<Parameters<typeof planText>[0], 'plans' | 'notes'>,
): void {
  if (json) return
  const left = namesOf(config.left)
  showPlan(context, { cluster: config.cluster, ...told, left })
}

/** The users of the file, and whether it gives the password of each on every host that names it. */
function givenEverywhere({
  config,
  given,
}: Work): readonly { readonly user: string; readonly given: boolean }[] {
  const names = new Set(config.hosts.flatMap(({ users }) => users.map(({ user }) => user)))
  return [...names].map((user) => ({
    user,
    given: config.hosts.every(
      (host) => host.users.every((one) => one.user !== user) || given.get(host.name)?.has(user) === true,
    ),
  }))
}
