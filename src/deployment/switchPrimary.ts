import { boundedMessage } from '../base/printable.ts'
import type { CallClock } from '../client/call.ts'
import { joinReports, type ManagerReport, readServiceStatus } from '../client/clusterView.ts'
import { readProblem } from '../client/envelope.ts'
import {
  followSwitch,
  readSwitchPlan,
  readSwitchTask,
  type SwitchPlan,
  type SwitchTask,
} from '../client/switchTask.ts'
import type { SwitchOperation } from '../contracts/managerPayloads.ts'
import { managerRoutes, planRoutes, switchRoutes } from '../contracts/managerRoutes.ts'
import { callOf, type RouteCall } from '../contracts/routeCall.ts'
import { callHost } from './callHost.ts'
import { installedAccount, installedData } from './desiredService.ts'
import type { InstalledFacts } from './facts/hostFacts.ts'
import { failureOf } from './hostFailure.ts'
import { layoutOf } from './layout.ts'
import type { SurveyedHost } from './survey.ts'

/** A call of the manager of a host. */
type ManagerCall = RouteCall & {
  /** Milliseconds. */
  readonly timeout: number
}

/** Response of a manager, or why there is none. Calls may arrive twice, and never reject. */
type ManagerResponse = { readonly status: number; readonly body: unknown } | { readonly silence: string }

/** The manager of a host, as called over its socket. */
export type ManagerOfHost = {
  readonly host: string
  readonly call: (call: ManagerCall) => Promise<ManagerResponse>
}

/** How a switch ended. */
export type SwitchEnd =
  | { readonly kind: 'ended'; readonly task: SwitchTask }
  /** The manager did not begin it. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** It is not known how it ended. */
  | { readonly kind: 'lost'; readonly problem: string }

/**
 * Milliseconds: for one call, for the one that begins, for which the manager waits for the end before it answers, within
 * which a switch may still begin whose first response was lost, or was that of a second arrival, and after Ctrl-C.
 */
const limits = { call: 4_000, begin: 6_000, wait: 1_000, first: 8_000, second: 2_000, stop: 8_000 }

/** Returns why a manager did not do as it was asked; undefined where it did. */
export const problemOf = (response: ManagerResponse): string | undefined => {
  if ('silence' in response) return response.silence
  const problem = readProblem(response)
  if (problem === undefined) return undefined
  return boundedMessage(
    `${problem.status}${problem.code === undefined ? '' : ` ${problem.code}`}: ${problem.detail ?? problem.title}`,
  )
}

/**
 * Tells a manager to switch or to replace the primary, and follows that. A switch that was begun cannot be stopped: after
 * Ctrl-C it is followed for 8 s.
 */
export async function switchPrimary(options: {
  readonly operation: SwitchOperation
  readonly manager: ManagerOfHost
  readonly service: string
  readonly to: string
  readonly accept: readonly string[]
  /** A UUID for the task, by which it is found where a response was lost. */
  readonly id: string
  /** Called with each answer of the manager. */
  readonly onTask: (task: SwitchTask) => void
  readonly clock: CallClock
  readonly signal: AbortSignal
}): Promise<SwitchEnd> {
  const { operation, manager, service, to, accept, id, onTask, clock, signal } = options
  let isBegun = false
  /** Time until which a manager without the task may still begin it. */
  let mayBegin = 0
  let stopsAt = Number.POSITIVE_INFINITY

  const { wait } = limits
  const readTask = callOf(managerRoutes.managerTask, { task: id }, { query: { wait } })
  const read = async (): Promise<SwitchTask | undefined> => {
    const response = await manager.call({ ...readTask, timeout: limits.call })
    const isUnknown = 'status' in response && response.status === 404
    if (isUnknown && clock.now() >= mayBegin) throw new UnknownTask()
    return taskOf(response)
  }
  const pause = async (milliseconds: number): Promise<void> => {
    await clock.wait(milliseconds)
    if (signal.aborted) stopsAt = Math.min(stopsAt, clock.now() + limits.stop)
    if (clock.now() >= stopsAt) throw new Stopped()
  }

  const begin = callOf(switchRoutes[operation], { service }, { query: { to, accept, id, wait } })
  const response = await manager.call({ ...begin, timeout: limits.begin })
  const first = taskOf(response)
  const refusal = 'status' in response && !first ? (problemOf(response) ?? 'not a task') : undefined
  // Without a response it may still begin; and a call that arrived twice is refused the second time.
  mayBegin = clock.now() + (refusal === undefined ? limits.first : isRunning(response) ? limits.second : 0)
  try {
    const task = await followSwitch({
      first,
      read,
      onTask: (task) => {
        isBegun = true
        mayBegin = 0
        onTask(task)
      },
      clock: { now: clock.now, wait: pause },
    })
    return task === undefined
      ? { kind: 'lost', problem: 'it has not answered for 30 s' }
      : { kind: 'ended', task }
  } catch (error) {
    if (error instanceof Stopped) return { kind: 'lost', problem: 'it had not ended 8 s after Ctrl-C' }
    if (!(error instanceof UnknownTask)) throw error
    if (refusal !== undefined && !isBegun) return { kind: 'refused', problem: refusal }
    return { kind: 'lost', problem: 'it does not know the switch' }
  }
}

const isRunning = (response: ManagerResponse): boolean =>
  'status' in response && readProblem(response)?.code === 'operation-running'

/** The manager answers that it has no such task. */
class UnknownTask extends Error {}

/** The operator stopped the command some seconds ago. */
class Stopped extends Error {}

const taskOf = (response: ManagerResponse): SwitchTask | undefined =>
  'status' in response && response.status === 200 ? readSwitchTask(response.body) : undefined

/** A host that cannot lead a switch, and why. */
export type HostProblem = { readonly host: string; readonly problem: string }

/** The manager of a host, or why there is none, once that is known. */
export type ComingManager = {
  readonly host: string
  readonly manager: Promise<ManagerOfHost | HostProblem>
}

/**
 * Chooses the manager that leads: that of the new primary, else of the present one, else any that has the service; in a
 * failover any but the one of the lost primary. Waits for no host longer than that takes. Returns why none of them can.
 */
export async function chooseManager(options: {
  readonly operation: SwitchOperation
  readonly service: string
  readonly to: string | undefined
  readonly managers: readonly ComingManager[]
}): Promise<ManagerOfHost | readonly HostProblem[]> {
  const { operation, service, to } = options
  const isFailover = operation === 'failover'
  const able = new Map<string, ManagerOfHost>()
  const reports: ManagerReport[] = []
  const coming = new Map(
    options.managers.map(({ host, manager }) => [
      host,
      manager.then(async (found) => {
        if ('problem' in found) return { host, report: { host, services: [], reason: found.problem } }
        return { host, report: await askStatus(found, service), found }
      }),
    ]),
  )
  while (coming.size > 0) {
    const { host, report, found } = await Promise.race(coming.values())
    coming.delete(host)
    reports.push(report)
    if (found && report.services.length > 0) able.set(host, found)
    const view = joinReports(reports).find(({ name }) => name === service)
    const primary = view?.datasources.find(({ role }) => role === 'primary')?.name
    const wanted = to ?? (isFailover ? undefined : view?.writer?.datasource)
    const best = able.get(wanted ?? '')
    if (best) return best
    const isAwaited = typeof wanted === 'string' && coming.has(wanted)
    const other = [...able].find(([name]) => !isFailover || name !== primary)?.[1]
    if (other && !isAwaited) return other
  }
  const [any] = able.values()
  return any ?? reports.map((it) => ({ host: it.host, problem: it.reason ?? `it has no service ${service}` }))
}

/** The manager of a surveyed host, called over its socket. */
export function managerOf(
  { host, transport, facts }: SurveyedHost<InstalledFacts>,
  { cluster }: { readonly cluster: string },
): ManagerOfHost {
  const layout = layoutOf(host.installDirectory)
  const target = { socket: installedData(facts, { layout, cluster }).socket('manager') }
  return {
    host: host.name,
    call: async (call) => {
      if (facts.installation.currentRelease === undefined) return { silence: 'not installed' }
      try {
        const [result] = await callHost({
          transport,
          layout,
          account: installedAccount(facts),
          requests: [{ ...call, id: 'manager', target, repeatable: true }],
          timeout: call.timeout * 2,
          running: true,
        })
        if (result === undefined) return { silence: 'no response' }
        if ('error' in result) return { silence: boundedMessage(result.error.message) }
        return { status: result.status, body: result.body }
      } catch (error) {
        return { silence: failureOf(error).message }
      }
    },
  }
}

/** Asks a manager for the status of a service; the report says why there is none. */
export async function askStatus(manager: ManagerOfHost, service: string): Promise<ManagerReport> {
  const { host } = manager
  const read = callOf(managerRoutes.managerServiceStatus, { service })
  const response = await manager.call({ ...read, timeout: 4_000 })
  if ('silence' in response) return { host, services: [], reason: response.silence }
  if (response.status === 404) return { host, services: [] }
  const seen = response.status === 200 ? readServiceStatus(response.body) : undefined
  if (seen?.name === service) return { host, services: [seen] }
  const reason =
    response.status === 200 ? 'its response is not the status of a service' : `it answered ${response.status}`
  return { host, services: [], reason }
}

/** Reads the plan of a switch or a failover from a manager; a text says why there is none. */
export async function readSwitchPlanOf(
  manager: ManagerOfHost,
  wish: {
    readonly operation: SwitchOperation
    readonly service: string
    readonly to: string | undefined
    readonly accept: readonly string[]
  },
): Promise<SwitchPlan | string> {
  const { operation, service, to, accept } = wish
  const read = callOf(planRoutes[operation], { service }, { query: { to, accept } })
  const response = await manager.call({ ...read, timeout: 15_000 })
  if ('silence' in response) return response.silence
  const problem = readProblem(response)
  if (problem !== undefined)
    return `its manager answered ${problem.status}: ${problem.detail ?? problem.title}`
  return readSwitchPlan(response.body) ?? 'the response of its manager is not the plan of a switch'
}
