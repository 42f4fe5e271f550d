import { randomBytes } from 'node:crypto'
import { createHasher } from '../../accounts/passwordHash.ts'
import { mustBeAbleToAsk } from '../../cli/ask.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { thisMachine } from '../../cli/thisMachine.ts'
import type { Credentials } from '../../client/credentials.ts'
import type { Failure, HostOutcome } from '../../deployment/events.ts'
import { failureOf } from '../../deployment/failure.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { saveState } from '../../deployment/state/openState.ts'
import { settled } from '../../deployment/state/passwordRotation.ts'
import { StepError } from '../../deployment/stepError.ts'
import { replacedPasswords } from '../../deployment/users/replacedPasswords.ts'
import {
  type DesiredUsers,
  desiredUsersOf,
  type GivenPasswords,
} from '../../deployment/users/viaApi/apiHost.ts'
import { askHosts } from '../../deployment/users/viaApi/askHosts.ts'
import { type ApiDecision, decideViaApi } from '../../deployment/users/viaApi/decide.ts'
import { proveHost } from '../../deployment/users/viaApi/proveHost.ts'
import { reachApis } from '../../deployment/users/viaApi/reachApis.ts'
import { withoutShell } from '../../deployment/users/withoutShell.ts'
import { usersNowText } from '../../output/deployment/users.ts'
import { inRun } from '../../session/inRun.ts'
import { reportMade } from '../../session/madePasswords.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { type Refusal, type RunPlan, runPlan } from '../../session/runPlan.ts'
import { beginSession, openStateToChange, reportPart, type Session } from '../../session/session.ts'
import { readUserPasswords } from '../resolveSecrets.ts'
import { type ApiAccessOptions, isHere, readOwnLogin, readTrust } from './apiAccess.ts'
import { mustNameUsers, usersGiven } from './namedUsers.ts'

type ViaApiOptions = ClusterOptions &
  ApiAccessOptions & {
    readonly yes: boolean
    readonly json: boolean
    readonly lockWait: number
    readonly prune: boolean
  }

/** What the decision needs beside what the APIs answer. */
type Known = {
  readonly given: GivenPasswords
  readonly own: Credentials | undefined
  readonly prune: boolean
  readonly state: ClusterState
  readonly authorities: readonly string[]
}

const operation = 'users apply --via api'

/**
 * `muster users apply --via api`: brings the hosts to the users of the file without SSH. All APIs of all hosts are
 * asked first; where one host could not follow, none is changed.
 */
export async function applyViaApi(options: ViaApiOptions): Promise<ExitCode> {
  const { context, yes, cacert } = options
  mustBeAbleToAsk(context, { yes, command: operation, look: null })
  const loaded = await openCluster(options)
  const { config } = loaded
  mustNameUsers(config)
  const own = await readOwnLogin(context, options)
  const given = await readUserPasswords(context, loaded)
  return inRun({ ...options, config, operation }, async (run) => {
    const state = await openStateToChange(context, config)
    const authorities = await readTrust(context, { cacert, state, place: config })
    const session = await beginSession({ ...options, config, run })
    const plan = await decide(session, { ...options, given, own, state, authorities })
    return runPlan({ ...session, survey: { reached: [], lost: [] } }, plan)
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
  const { plans, made, notes, wishes, state } = decision
  const work = plans.map((plan) => ({
    ...plan,
    transport: withoutShell(plan.host),
    verify: async () => {
      const wish = wishes.find(({ host }) => host === plan.host)
      return wish === undefined ? 'nothing to verify' : proveHost(wish, context.signal)
    },
  }))
  return {
    work,
    notes,
    carryOut: async (execute) => {
      await saveState({ ...config, before: known.state, after: state })
      reportMade(session, made)
      const { exit } = await execute()
      if (!json && !context.signal.aborted) {
        context.stdout.write(usersNowText(operation, run.recorder.record(exit)?.hosts ?? []) ?? '')
      }
      reportPart(session)
      if (exit !== exitCodes.ok || config.left.length > 0) return exit
      const hosts = wishes.map(({ host, users }) => ({ name: host, users }))
      await saveState({ ...config, before: state, after: settled(state, usersGiven(hosts, given)) })
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
  const tell = (problem: StepError): void => {
    const failure = failureOf(problem)
    emit({ type: 'host-failed', host: problem.host, failure })
    fail(problem.host, failure, 'failed')
  }
  const logins = config.hosts.map((host) => ({ host, given: given.get(host.name) ?? new Map() }))
  for (const problem of await replacedPasswords(logins, state, createHasher())) tell(problem)
  const notes: string[] = []
  const wishes = config.hosts.flatMap((host): readonly DesiredUsers[] => {
    const reached = reachApis({ host, here: isHere(host, machine), authorities })
    if (reached instanceof StepError) {
      tell(reached)
      return []
    }
    for (const { component, address } of reached.closed) {
      notes.push(
        `the ${component} of ${host.name} listens only on ${address}: its logins cannot be verified from here`,
      )
    }
    return [desiredUsersOf({ host, apis: reached.apis, given, state, own, prune })]
  })
  const asked = await askHosts({ wishes, signal: context.signal, emit })
  for (const one of asked) {
    if ('failure' in one) fail(one.wish.host, one.failure, one.unreachable ? 'unreachable' : 'failed')
  }
  const answered = asked.flatMap((one) => ('asked' in one ? [one] : []))
  const addresses = new Map(config.hosts.map(({ name, address }) => [name, address]))
  const decision =
    failed.length > 0
      ? undefined
      : decideViaApi({ answered, addresses, left: config.left, state, random: randomBytes })
  if (decision?.ok === true) {
    for (const { host, steps } of decision.plans) {
      emit({ type: 'planned', host, changes: steps.map(({ change }) => change.summary) })
    }
    return { ...decision, notes: [...notes, ...decision.notes] }
  }
  for (const problem of decision?.problems ?? []) tell(problem)
  return { failed, reported: true }
}
