import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { hasherOf } from '../../accounts/passwordHash.ts'
import { requireConfirmation } from '../../cli/ask.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { readLoginUser } from '../../cli/optionValues.ts'
import { readInputFile } from '../../cli/readInputFile.ts'
import { readPassword } from '../../cli/readPassword.ts'
import { type ThisMachine, thisMachine } from '../../cli/thisMachine.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { Credentials } from '../../client/credentials.ts'
import { isReadableAuthority } from '../../client/endpoint.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Failure, HostOutcome } from '../../deployment/events.ts'
import { failureOf } from '../../deployment/hostFailure.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { saveState } from '../../deployment/state/openState.ts'
import { afterVerifiedRun } from '../../deployment/state/passwordRotation.ts'
import { type StatePlace, stateFolder } from '../../deployment/state/statePlace.ts'
import { StepError } from '../../deployment/stepError.ts'
import { outdatedPasswordFailures } from '../../deployment/users/outdatedPasswords.ts'
import {
  type DesiredUsers,
  desiredUsersOf,
  type GivenPasswords,
} from '../../deployment/users/viaApi/apiHost.ts'
import { askHosts } from '../../deployment/users/viaApi/askHosts.ts'
import { type ApiDecision, decideViaApi } from '../../deployment/users/viaApi/decideViaApi.ts'
import { apiOnlyTransport, reachableApis } from '../../deployment/users/viaApi/reachableApis.ts'
import { verifyUsers } from '../../deployment/users/viaApi/verifyUsers.ts'
import { usersNowText } from '../../output/deployment/usersText.ts'
import { reportGeneratedPasswords } from '../../session/generatedPasswords.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { readUserPasswords } from '../../session/resolveSecrets.ts'
import { type Refusal, type RunPlan, runPlan } from '../../session/runPlan.ts'
import { beginSession, openStateToChange, reportLimitedRun, type Session } from '../../session/session.ts'
import { withRun } from '../../session/withRun.ts'
import { requireUsers, usersGiven } from './namedUsers.ts'

/** Options of a command that works without SSH. */
type ApiAccessOptions = {
  /** File of the authority to trust, instead of the state's own. */
  readonly cacert: string | undefined
  /** A user of the hosts, for where no known password is taken. */
  readonly login: string | undefined
  readonly loginPasswordFile: string | undefined
  readonly loginPasswordStdin: boolean
}

const loginWays = {
  file: '--login-password-file',
  stdin: '--login-password-stdin',
  variable: 'MUSTER_LOGIN_PASSWORD',
}

/** Reads the login of the operator; undefined without --login. Throws a `UsageError`, or `Interrupted`. */
async function readOwnLogin(
  context: CommandContext,
  options: ApiAccessOptions,
): Promise<Credentials | undefined> {
  const { login, loginPasswordFile: file, loginPasswordStdin: stdin } = options
  if (login === undefined) {
    if (file === undefined && !stdin) return undefined
    throw new UsageError(
      `${file === undefined ? loginWays.stdin : loginWays.file} requires --login.`,
      'Name the user with --login USER.',
    )
  }
  const user = readLoginUser(login)
  const password = await readPassword({
    context,
    what: `the password of ${user}`,
    options: loginWays,
    file,
    stdin,
  })
  return { user, password }
}

/** Returns the authorities that a call trusts: --cacert, else the state's own. Throws a `UsageError` without either. */
async function readTrust(
  context: CommandContext,
  options: { readonly cacert: string | undefined; readonly state: ClusterState; readonly place: StatePlace },
): Promise<readonly string[]> {
  const { cacert, state, place } = options
  if (cacert === undefined) {
    if (state.authority !== undefined) return [state.authority.certificate]
    throw new UsageError(
      `The authority of the hosts' certificates is unknown: ${stateFolder(place)} has none.`,
      'Pass its certificate with --cacert FILE. Without it muster trusts no server.',
    )
  }
  const path = resolve(context.cwd, cacert)
  const { text } = await readInputFile({ path, what: 'The authority of --cacert', pipe: context.signal })
  if (isReadableAuthority(text)) return [text]
  throw new UsageError(
    `${path} contains no readable PEM certificate.`,
    'Use --cacert with the certificate of the authority, a file with a BEGIN CERTIFICATE line.',
  )
}

/** Returns true for the machine that the command runs on, whose loopback addresses can be called. */
export function isThisMachine(host: HostConfig, { name, addresses }: ThisMachine): boolean {
  if ((host.via ?? host.connection) === 'local' || addresses.includes(host.address)) return true
  return [host.name, host.address].some((one) => one.toLowerCase() === name.toLowerCase())
}

type ViaApiOptions = ClusterOptions &
  ApiAccessOptions & {
    readonly yes: boolean
    readonly json: boolean
    readonly lockWait: number
    readonly prune: boolean
  }

/** Input of the decision beside the answers of the APIs. */
type Known = {
  readonly given: GivenPasswords
  readonly own: Credentials | undefined
  readonly prune: boolean
  readonly state: ClusterState
  readonly authorities: readonly string[]
}

const operation = 'users apply --via api'

/**
 * Brings the hosts to the users of the file without SSH. Asks all APIs of all hosts first; if one host cannot follow,
 * none is changed.
 */
export async function applyViaApi(options: ViaApiOptions): Promise<ExitCode> {
  const { context, yes, cacert } = options
  const loaded = await openCluster(options)
  const { config } = loaded
  requireUsers(config)
  requireConfirmation(context, { yes, command: operation, previewCommand: null })
  const own = await readOwnLogin(context, options)
  const given = await readUserPasswords(context, loaded)
  return withRun({ ...options, config, operation }, async (run) => {
    const state = await openStateToChange(context, config)
    const authorities = await readTrust(context, { cacert, state, place: config })
    const session = await beginSession({ ...options, config, run })
    const plan = await decide(session, { ...options, given, own, state, authorities })
    return runPlan({ ...session, survey: { reached: [], unreachable: [] } }, plan)
  })
}

/** Asks every host and decides what its APIs are called for. */
async function decide(session: Session, known: Known): Promise<RunPlan | Refusal> {
  const { context, config, json, run, renderer } = session
  const { given } = known
  const decision = await askViaApi(session, known).finally(() => renderer.end())
  if ('failed' in decision) {
    return {
      ...decision,
      interrupted: context.signal.aborted,
      message: 'Nothing was changed: not every host passed the checks.',
    }
  }
  const { plans, generated, notes, desiredUsers, state } = decision
  const work = plans.map((plan) => ({
    ...plan,
    transport: apiOnlyTransport(plan.host),
    verify: async () => {
      const desired = desiredUsers.find(({ host }) => host === plan.host)
      return desired === undefined ? 'nothing to verify' : verifyUsers(desired, context.signal)
    },
  }))
  return {
    work,
    notes,
    executeAndSave: async (execute) => {
      await saveState({ ...config, before: known.state, after: state })
      reportGeneratedPasswords(session, generated)
      const { exit } = await execute()
      if (!json && !context.signal.aborted) {
        context.stdout.write(usersNowText(operation, run.recorder.record(exit)?.hosts ?? []) ?? '')
      }
      reportLimitedRun(session)
      if (exit !== exitCodes.ok || config.excluded.length > 0) return exit
      const hosts = desiredUsers.map(({ host, users }) => ({ name: host, users }))
      await saveState({ ...config, before: state, after: afterVerifiedRun(state, usersGiven(hosts, given)) })
      return exit
    },
  }
}

/** Reaches and asks every host, and decides; where one cannot follow, all are refused. */
async function askViaApi(
  { context, config, renderer: { emit } }: Session,
  known: Known,
): Promise<Extract<ApiDecision, { ok: true }> | Refusal> {
  const { given, own, prune, state, authorities } = known
  const machine = thisMachine()
  const failed: HostOutcome[] = []
  const fail = (host: string, failure: Failure, result: 'failed' | 'unreachable'): void => {
    failed.push({ host, result, applied: [], failure, seconds: {} })
  }
  const reportProblem = (problem: StepError): void => {
    const failure = failureOf(problem)
    emit({ type: 'host-failed', host: problem.host, failure })
    fail(problem.host, failure, 'failed')
  }
  const logins = config.hosts.map((host) => ({ host, given: given.get(host.name) ?? new Map() }))
  for (const problem of await outdatedPasswordFailures(logins, state, hasherOf(context.env)))
    reportProblem(problem)
  const notes: string[] = []
  const desiredUsers = config.hosts.flatMap((host): readonly DesiredUsers[] => {
    const reached = reachableApis({ host, here: isThisMachine(host, machine), authorities })
    if (reached instanceof StepError) {
      reportProblem(reached)
      return []
    }
    for (const { component, address } of reached.closed) {
      notes.push(
        `the ${component} of ${host.name} listens only on ${address}: its logins cannot be verified from here`,
      )
    }
    return [desiredUsersOf({ host, apis: reached.apis, given, state, own, prune })]
  })
  const asked = await askHosts({ desiredUsers, forks: context.forks, signal: context.signal, emit })
  for (const one of asked) {
    if ('failure' in one) fail(one.desired.host, one.failure, one.unreachable ? 'unreachable' : 'failed')
  }
  const answered = asked.flatMap((one) => ('asked' in one ? [one] : []))
  const addresses = new Map(config.hosts.map(({ name, address }) => [name, address]))
  const decision =
    failed.length > 0
      ? undefined
      : decideViaApi({ answered, addresses, excluded: config.excluded, state, random: randomBytes })
  if (decision?.ok === true) {
    for (const { host, steps } of decision.plans) {
      emit({ type: 'planned', host, changes: steps.map(({ change }) => change.summary) })
    }
    return { ...decision, notes: [...notes, ...decision.notes] }
  }
  for (const problem of decision?.problems ?? []) reportProblem(problem)
  return { failed, reported: true }
}
