import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { switchOperations } from '../../contracts/choices.ts'
import type { ActionResponse } from '../../contracts/dashboard.ts'
import type { SwitchOperation } from '../../contracts/managerPayloads.ts'
import { managerRoutes } from '../../contracts/managerRoutes.ts'
import { failureOf } from '../../deployment/hostFailure.ts'
import {
  type AwayManager,
  chooseCoordinator,
  managerOf,
  readSwitchPlanOf,
  surveySwitch,
} from '../../deployment/prepareSwitch.ts'
import type { SurveyedHost } from '../../deployment/survey.ts'
import { type HostProblem, type SwitchEnd, switchPrimary } from '../../deployment/switchPrimary.ts'
import type { ClusterWatch } from '../../deployment/watch/watchCluster.ts'
import type { DashboardLogin, RelayedCall } from '../../web/backend.ts'

/** A call of a manager about a switch or a failover of which the other hosts are held from here. */
type SwitchCall =
  | { readonly kind: 'plan'; readonly path: string }
  | {
      readonly kind: SwitchOperation
      readonly service: string
      readonly to: string | undefined
      readonly accept: readonly string[]
    }

const patternOf = (...paths: readonly string[]): RegExp =>
  new RegExp(paths.map((path) => `^${path.replace('{service}', '([^/?]+)')}$`).join('|'))
const planPath = patternOf(managerRoutes.managerSwitchPlan.path, managerRoutes.managerFailoverPlan.path)
const paths: Readonly<Record<SwitchOperation, RegExp>> = {
  switch: patternOf(managerRoutes.managerSwitch.path),
  failover: patternOf(managerRoutes.managerFailover.path),
}

/**
 * Recognizes the switch of a primary, a failover, and the plan of each: over SSH, muster holds the clients of the other
 * hosts, since managers on loopback cannot call each other.
 */
export function readSwitchCall({ component, method, path }: RelayedCall): SwitchCall | undefined {
  if (component !== 'manager') return undefined
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  if (method === 'GET' && planPath.test(pathname)) {
    searchParams.set('peers', 'held')
    return { kind: 'plan', path: `${pathname}?${searchParams}` }
  }
  if (method !== 'POST') return undefined
  for (const kind of switchOperations) {
    const service = paths[kind].exec(pathname)?.[1]
    if (service === undefined) continue
    return {
      kind,
      service: decodeURIComponent(service),
      to: searchParams.get('to') ?? undefined,
      accept: searchParams.get('accept')?.split(',') ?? [],
    }
  }
  return undefined
}

const refusal = (detail: string): ActionResponse => ({ status: 409, code: 'wrong-state', detail })

const wordsOf = (problems: readonly HostProblem[]): string =>
  problems.map(({ host, problem }) => `${host}: ${problem}`).join('; ')

/** Switches or replaces the primary of a service in the name of whoever logged in; resolves when the switch has ended. */
export async function switchAs(options: {
  readonly watch: ClusterWatch
  readonly login: DashboardLogin
  readonly kind: SwitchOperation
  readonly service: string
  readonly to: string | undefined
  readonly accept: readonly string[]
}): Promise<ActionResponse> {
  const { watch, login, kind: operation, service, to, accept } = options
  const members = watch.hosts.filter(
    (host) => host.services.includes(service) && host.apis.some(({ component }) => component === 'manager'),
  )
  const reached = await Promise.all(
    members.map((host) =>
      watch.surveyed(host.name).catch(
        (error: unknown): AwayManager => ({
          host: host.name,
          problem: failureOf(error).message,
          isUnreachable: true,
        }),
      ),
    ),
  )
  const isAway = (one: SurveyedHost | AwayManager): one is AwayManager => 'problem' in one
  const away = reached.filter(isAway)
  const managers = reached.flatMap((one) =>
    isAway(one) ? [] : [managerOf(one, { cluster: watch.name, login })],
  )
  const found = await surveySwitch({ operation, service, managers, away })
  if (found.problems.length > 0) return refusal(`The ${operation} is refused. ${wordsOf(found.problems)}`)
  const coordinator = chooseCoordinator(found, to)
  if (coordinator === undefined) return refusal(`No manager has the service ${service}.`)
  const plan = await readSwitchPlanOf(coordinator, { operation, service, to, accept })
  if (typeof plan === 'string') return refusal(`${coordinator.host}: ${plan}`)
  const { from, to: chosen, refusals } = plan
  if (refusals.length > 0 || from === null || chosen === null) {
    const reasons = refusals.map(({ reason }) => reason).join('; ')
    return refusal(`The ${operation} is refused: ${reasons === '' ? 'there is nothing to switch' : reasons}`)
  }
  const others = found.parts.filter((one) => one !== coordinator)
  const { end, heldMilliseconds } = await switchPrimary({
    operation,
    coordinator,
    others,
    plan: { ...plan, from, to: chosen },
    accept,
    id: randomUUID(),
    onTask: () => {},
    clock: { now: () => performance.now(), wait },
    // A page that is closed stops nothing: a switch that was begun has to end.
    signal: new AbortController().signal,
  })
  if (end.kind === 'ended' && others.length > 0) {
    watch.noteWait(end.task.taskId, Math.round(heldMilliseconds))
  }
  for (const { name } of members) watch.lookNow(name)
  return responseTo(end, coordinator.host)
}

function responseTo(end: SwitchEnd, coordinator: string): ActionResponse {
  switch (end.kind) {
    case 'ended':
      return { status: 200, payload: end.task }
    case 'not-held':
      return refusal(`The switch was not begun: clients could not be held. ${wordsOf(end.problems)}`)
    case 'refused':
      return refusal(`The manager of ${coordinator} refused the switch: ${end.problem}`)
    default: {
      const problem = end.kind === 'lost' ? end.problem : 'it was interrupted'
      const detail = `It is not known how the switch ended: ${problem}. See the state of the service.`
      return { status: 502, code: 'manager-unreachable', detail }
    }
  }
}
