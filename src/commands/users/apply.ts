import { randomBytes } from 'node:crypto'
import { type Hasher, hasherOf } from '../../accounts/passwordHash.ts'
import { listOf } from '../../base/words.ts'
import { requireConfirmation } from '../../cli/ask.ts'
import { type Define, flag } from '../../cli/command.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import type { InstalledFacts } from '../../deployment/facts/hostFacts.ts'
import { recordedMachines } from '../../deployment/hostIdentity.ts'
import { preview } from '../../deployment/hostPlan.ts'
import { installedSet } from '../../deployment/installedSet.ts'
import { startHashing } from '../../deployment/installedUsers.ts'
import { layoutOf } from '../../deployment/layout.ts'
import type { GivenPasswords } from '../../deployment/prepare.ts'
import { verificationWithUsers } from '../../deployment/releases/installedVerification.ts'
import { restoreUsers } from '../../deployment/snapshot/userRestore.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { type OpenedState, openState, saveState } from '../../deployment/state/openState.ts'
import { afterVerifiedRun } from '../../deployment/state/passwordRotation.ts'
import { removedUsersStep } from '../../deployment/steps/removedUsersStep.ts'
import { usersStep } from '../../deployment/steps/usersStep.ts'
import { installedFactsOnly } from '../../deployment/survey.ts'
import { type DecidedHost, decideUsers, extraNotes } from '../../deployment/users/decideUsers.ts'
import { verifyHost } from '../../deployment/verifyHost.ts'
import { runOnFiles } from '../../session/clusterOptions.ts'
import { prepareConnections } from '../../session/connectHost.ts'
import { reportGeneratedPasswords } from '../../session/generatedPasswords.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { readUserPasswords } from '../../session/resolveSecrets.ts'
import { changeFlags, changeOptions } from '../../session/runOptions.ts'
import { type Refusal, type RunPlan, refusalFor, runPlan } from '../../session/runPlan.ts'
import type { SelectedCluster } from '../../session/selectTargets.ts'
import { beginSession, printNotes, reportLimitedRun, type SurveyedSession } from '../../session/session.ts'
import { withSurvey } from '../../session/withHosts.ts'
import { withRun } from '../../session/withRun.ts'
import type { Transport } from '../../transport/transport.ts'
import { requireUsers, usersGiven } from './namedUsers.ts'

export const usersApplyCommand: Define = (made, world) =>
  runOnFiles(
    changeOptions(made)
      .option('--prune', 'remove users that the file does not name, after showing them')
      .option('--generate', 'generate a password for every user without one, even existing users'),
    world,
    (options) =>
      applyUsers({
        ...options,
        ...changeFlags(made),
        prune: flag(made, 'prune'),
        generate: flag(made, 'generate'),
      }),
  )

type ApplyOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  /** Removes the users that the file does not name. */
  readonly prune: boolean
  /** Makes a password also for users whose own is not known here. */
  readonly generate: boolean
}

/** Input of the decision beside the facts of the hosts. */
type Known = Pick<ApplyOptions, 'prune' | 'generate'> & {
  readonly opened: OpenedState
  /** By host and user, what the file gives. */
  readonly given: GivenPasswords
  readonly hash: Hasher
}

/**
 * Brings every host to the users of the file, and verifies each login. Restarts nothing. Users that the file does not
 * name are reported, and removed only with --prune.
 */
async function applyUsers(options: ApplyOptions): Promise<ExitCode> {
  const { context, yes } = options
  const operation = 'users apply'
  const loaded = await openCluster(options)
  const { config } = loaded
  requireUsers(config)
  requireConfirmation(context, { yes, command: operation, previewCommand: 'users list' })
  const given = await readUserPasswords(context, loaded)
  const hash = hasherOf(context.env)
  await prepareConnections(context, config.hosts)
  return withRun({ ...options, config, operation }, async (run) => {
    const opened = await openState({ directory: config.directory, cluster: config.cluster })
    startHashing(hash, given, opened.state)
    return withSurvey(await beginSession({ ...options, config, run }), {
      scope: installedFactsOnly,
      requires: 'all',
      machines: recordedMachines(opened.state),
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
    excluded: config.excluded,
    state: opened.state,
    generate,
    hash,
    random: randomBytes,
  })
  if (!decided.ok) return refusalFor(decided.problems)
  const { state, generated } = decided
  const transports = new Map(survey.reached.map(({ host, transport }) => [host.name, transport]))
  const work = decided.hosts.flatMap((one) => {
    const transport = transports.get(one.host.name)
    return transport === undefined ? [] : [workOn(one, { config, prune, transport, state })]
  })
  return {
    work,
    notes: prune ? [] : extraNotes(decided.hosts),
    executeAndSave: async (execute) => {
      await saveState({ ...config, before: opened.state, after: state })
      reportGeneratedPasswords(session, generated)
      const { exit } = await execute()
      reportLimitedRun(session)
      if (exit !== exitCodes.ok || config.excluded.length > 0) return exit
      const after = afterVerifiedRun(state, usersGiven(config.hosts, given))
      await saveState({ ...config, before: state, after })
      return exit
    },
  }
}

/** Plans one host, and verifies the logins where its components listen now, whatever the file says. */
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
  const proof = verificationWithUsers({ host, facts, set: { ...set, components: runs }, state, users })
  const verify = async (): Promise<string> => {
    if (runs.length === 0) return 'no login verified: no component is running'
    const proved = await verifyHost(transport, { ...proof, running: true, removedUsers: names })
    return stopped.length === 0 ? proved : `${proved}; ${listOf(stopped)} not verified: not running`
  }
  return { host: host.name, address: host.address, transport, steps: preview(steps, facts), verify, snapshot }
}
