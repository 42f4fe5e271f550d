import { randomBytes } from 'node:crypto'
import { createHasher } from '../../accounts/hasher.ts'
import type { Credentials } from '../../client/credentials.ts'
import type { Failure, HostOutcome } from '../../deployment/events.ts'
import { failureOf } from '../../deployment/failure.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { StepError } from '../../deployment/stepError.ts'
import { replacedPasswords } from '../../deployment/users/replacedPasswords.ts'
import type { HostWish } from '../../deployment/users/viaApi/apiHost.ts'
import { askHosts } from '../../deployment/users/viaApi/askHosts.ts'
import { type ApiDecision, decideViaApi } from '../../deployment/users/viaApi/decide.ts'
import { reachApis } from '../../deployment/users/viaApi/reachApis.ts'
import { type GivenPasswords, wishOf } from '../../deployment/users/viaApi/wishes.ts'
import type { Refusal } from '../../session/runPlan.ts'
import type { Session } from '../../session/session.ts'
import { thisMachine } from '../tapi/thisMachine.ts'
import { isHere } from './apiAccess.ts'

/** Reaches and asks every host, and decides; where one cannot follow, all are refused. */
export async function askViaApi(
  { context, config, renderer: { emit } }: Session,
  known: {
    readonly given: GivenPasswords
    readonly own: Credentials | undefined
    readonly prune: boolean
    readonly state: ClusterState
    readonly authorities: readonly string[]
  },
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
  const wishes = config.hosts.flatMap((host): readonly HostWish[] => {
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
    return [wishOf({ host, apis: reached.apis, given, state, own, prune })]
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
  return { failed, failures: 'told' }
}
