import { randomBytes } from 'node:crypto'
import { createHasher, type Hasher } from '../../accounts/passwordHash.ts'
import { listOf } from '../../base/words.ts'
import { mustBeAbleToAsk } from '../../cli/ask.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import type { InstalledFacts } from '../../deployment/facts/hostFacts.ts'
import { recorded } from '../../deployment/hostIdentity.ts'
import { preview } from '../../deployment/hostPlan.ts'
import { installedSet } from '../../deployment/installedSet.ts'
import { hashEarly } from '../../deployment/installedUsers.ts'
import { layoutOf } from '../../deployment/layout.ts'
import { installedProvable } from '../../deployment/releases/provable.ts'
import { restoreUsers } from '../../deployment/snapshot/userRestore.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { type OpenedState, openState, saveState } from '../../deployment/state/openState.ts'
import { settled } from '../../deployment/state/passwordRotation.ts'
import { removedUsersStep } from '../../deployment/steps/removedUsersStep.ts'
import { usersStep } from '../../deployment/steps/usersStep.ts'
import { installedLook } from '../../deployment/survey.ts'
import { type DecidedHost, decideUsers, extraNotes } from '../../deployment/users/decideUsers.ts'
import type { GivenPasswords } from '../../deployment/users/viaApi/apiHost.ts'
import { verifyHost } from '../../deployment/verify.ts'
import { prepareConnections } from '../../session/connectHost.ts'
import { inRun } from '../../session/inRun.ts'
import { reportMade } from '../../session/madePasswords.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { type Refusal, type RunPlan, refusalFor, runPlan } from '../../session/runPlan.ts'
import type { SelectedCluster } from '../../session/selectTargets.ts'
import { beginSession, printNotes, reportPart, type SurveyedSession } from '../../session/session.ts'
import { withSurvey } from '../../session/withHosts.ts'
import type { Transport } from '../../transport/transport.ts'
import { readUserPasswords } from '../resolveSecrets.ts'
import { mustNameUsers, usersGiven } from './namedUsers.ts'

type ApplyOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  /** Removes the users that the file does not name. */
  readonly prune: boolean
  /** Makes a password also for users whose own is not known here. */
  readonly generate: boolean
}

/** What the decision needs beside the facts of the hosts. */
type Known = Pick<ApplyOptions, 'prune' | 'generate'> & {
  readonly opened: OpenedState
  /** By host and user, what the file gives. */
  readonly given: GivenPasswords
  readonly hash: Hasher
}

/**
 * `muster users apply`: brings every host to the users that the file names, and proves each login; nothing is
 * restarted. Users that the file does not name are told of, and removed with --prune alone.
 */
export async function applyUsers(options: ApplyOptions): Promise<ExitCode> {
  const { context, yes } = options
  const operation = 'users apply'
  mustBeAbleToAsk(context, { yes, command: operation, look: 'users list' })
  const loaded = await openCluster(options)
  const { config } = loaded
  mustNameUsers(config)
  const given = await readUserPasswords(context, loaded)
  const hash = createHasher()
  await prepareConnections(context, config.hosts)
  return inRun({ ...options, config, operation }, async (run) => {
    const opened = await openState({ directory: config.directory, cluster: config.cluster })
    hashEarly(hash, given, opened.state)
    return withSurvey(await beginSession({ ...options, config, run }), {
      look: installedLook,
      requires: 'all',
      machines: recorded(opened.state),
      work: async (session) => {
        printNotes(context, opened)
        return runPlan(session, await decide(session, { ...options, opened, given, hash }))
      },
    })
  })
}

/** Decides which users each host gets and loses, and which passwords are made for them. */
async function decide(session: SurveyedSession<InstalledFacts>, known: Known): Promise<RunPlan | Refusal> {
  const { config, survey } = session
  const { opened, given, prune, generate, hash } = known
  const decided = await decideUsers({
    hosts: survey.reached.map(({ host, facts }) => ({
      host,
      facts,
      given: given.get(host.name) ?? new Map(),
    })),
    left: config.left,
    state: opened.state,
    generate,
    hash,
    random: randomBytes,
  })
  if (!decided.ok) return refusalFor(decided.problems)
  const { state, made } = decided
  const transports = new Map(survey.reached.map(({ host, transport }) => [host.name, transport]))
  const work = decided.hosts.flatMap((one) => {
    const transport = transports.get(one.host.name)
    return transport === undefined ? [] : [workOn(one, { config, prune, transport, state })]
  })
  return {
    work,
    notes: prune ? [] : extraNotes(decided.hosts),
    carryOut: async (execute) => {
      await saveState({ ...config, before: opened.state, after: state })
      reportMade(session, made)
      const { exit } = await execute()
      reportPart(session)
      if (exit !== exitCodes.ok || config.left.length > 0) return exit
      const after = settled(state, usersGiven(config.hosts, given))
      await saveState({ ...config, before: state, after })
      return exit
    },
  }
}

/** What is to be done on one host, and the proof of it where its components listen now, whatever the file says. */
function workOn(
  { host, facts, users, extra }: DecidedHost,
  {
    config,
    prune,
    transport,
    state,
  }: {
    readonly config: SelectedCluster
    readonly prune: boolean
    readonly transport: Transport
    readonly state: ClusterState
  },
): RunPlan['work'][number] {
  const layout = layoutOf(host.installDirectory)
  const set = installedSet({ cluster: config.cluster, layout, facts })
  const common = { ...set, facts, folder: layout.current }
  const names = prune ? extra : []
  const steps = [
    usersStep({ ...common, users, throughComponents: true }),
    removedUsersStep({ ...common, names }),
  ]
  const snapshot = { restoreSteps: restoreUsers({ ...common, users, removed: names }) }
  const runs = set.components.filter((name) => facts.services.get(name)?.state === 'running')
  const stopped = set.components.filter((name) => !runs.includes(name))
  const proof = installedProvable({ host, facts, set: { ...set, components: runs }, state, users })
  const verify = async (): Promise<string> => {
    if (runs.length === 0) return 'no login verified: no component is running'
    const proved = await verifyHost(transport, { ...proof, running: true, gone: names })
    return stopped.length === 0 ? proved : `${proved}; ${listOf(stopped)} not verified: not running`
  }
  return { host: host.name, address: host.address, transport, steps: preview(steps, facts), verify, snapshot }
}
