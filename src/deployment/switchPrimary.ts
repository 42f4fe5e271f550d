import { boundedMessage } from '../base/printable.ts'
import type { CallClock } from '../client/call.ts'
import { readServiceStatus } from '../client/clusterView.ts'
import { envelope, readProblem } from '../client/envelope.ts'
import {
  followSwitch,
  readSwitchTask,
  type SwitchPlan,
  type SwitchTask,
  switchQuery,
} from '../client/switchTask.ts'
import type { SwitchOperation } from '../contracts/managerPayloads.ts'
import { basePath, guardParameter } from '../contracts/route.ts'

/** A call of the manager of a host. */
type ManagerCall = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
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

/** A host that did not do its part, and why. */
export type HostProblem = { readonly host: string; readonly problem: string }

/** How a switch ended. */
export type SwitchEnd =
  | { readonly kind: 'ended'; readonly task: SwitchTask }
  /** Clients of some hosts could not be held, and the switch was not begun. */
  | { readonly kind: 'not-held'; readonly problems: readonly HostProblem[] }
  /** The coordinator did not begin it. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** It is not known how it ended. */
  | { readonly kind: 'lost'; readonly problem: string }
  /** The operator stopped it before it was begun. */
  | { readonly kind: 'interrupted' }

export type SwitchOutcome = {
  readonly end: SwitchEnd
  /** False if the holds of the other hosts are left to run out. */
  readonly isReleased: boolean
  /** Hosts that were not told the end of the switch; their holds run out. */
  readonly unreleased: readonly HostProblem[]
  /** From the first hold to the last release, on the hosts beside the coordinator's. */
  readonly heldMilliseconds: number
}

/**
 * Milliseconds: after which a hold ends by itself, for one call, for the one that begins, for which the coordinator waits
 * for the end before it answers, for a first call whose second was refused, and before a host is told again.
 */
const limits = { hold: 8_000, call: 4_000, begin: 6_000, wait: 1_000, second: 2_000, pause: 500 }

const problemOf = (response: ManagerResponse): string | undefined => {
  if ('silence' in response) return response.silence
  const problem = readProblem(response)
  if (problem === undefined) return undefined
  return boundedMessage(
    `${problem.status}${problem.code === undefined ? '' : ` ${problem.code}`}: ${problem.detail ?? problem.title}`,
  )
}

/** Returns the path of the status of a service. */
export const serviceStatusPath = (service: string): string =>
  `${basePath}/manager/status/service/${encodeURIComponent(service)}`

/** Returns the path of the plan of a switch or a failover whose caller sees to the other hosts. */
export const switchPlanPath = (
  { operation, service }: { readonly operation: SwitchOperation; readonly service: string },
  wish: Parameters<typeof switchQuery>[0],
): string => `${serviceStatusPath(service)}/${operation}?${[...switchQuery(wish), 'peers=held'].join('&')}`

const controlPath = (service: string, action: string, query: readonly string[] = []): string =>
  `${basePath}/manager/control/service/${encodeURIComponent(service)}/${action}?${[...query, `${guardParameter}=true`].join('&')}`

/**
 * Switches or replaces the primary where managers cannot call each other: lets the clients of the other hosts wait, tells the
 * coordinator to switch, follows it, and releases the others. A switch that was begun cannot be stopped: after Ctrl-C
 * it is followed for as long as a hold lasts. Holds are renewed only while the coordinator answers. Where nobody knows
 * how the switch ended, they are left to run out: until then their managers know that either of two is the primary.
 */
export async function switchPrimary(options: {
  readonly operation: SwitchOperation
  readonly coordinator: ManagerOfHost
  readonly others: readonly ManagerOfHost[]
  readonly plan: SwitchPlan & { readonly from: string; readonly to: string }
  readonly accept: readonly string[]
  /** A UUID for the task and its holds. */
  readonly id: string
  /** Called with each answer of the coordinator. */
  readonly onTask: (task: SwitchTask) => void
  readonly clock: CallClock
  readonly signal: AbortSignal
}): Promise<SwitchOutcome> {
  const { operation, coordinator, others, plan, accept, id, onTask, clock, signal } = options
  const { service, from, to } = plan
  const began = clock.now()
  let answered = began
  let renewed = began
  let step = 'hold'
  let isBegun = false
  let releasing: Promise<readonly HostProblem[]> | undefined
  let heldMilliseconds: number | undefined
  /** Time until which a coordinator without the task may still begin it. */
  let mayBegin = 0
  let stopsAt = Number.POSITIVE_INFINITY

  const hold = (): Promise<readonly HostProblem[]> =>
    onEach(others, (manager) =>
      manager.call({
        method: 'POST',
        path: controlPath(service, 'hold'),
        body: envelope('HoldPayload', { id, operation, from, to, step, milliseconds: limits.hold }),
        timeout: limits.call,
      }),
    )
  let holding = hold()

  /** Renews the holds where half of their time has passed, for a coordinator that is there. */
  function renew(): void {
    const now = clock.now()
    if (releasing || now - renewed < limits.hold / 2 || now - answered >= limits.hold / 2) return
    renewed = now
    holding = hold()
  }

  const read = async (): Promise<SwitchTask | undefined> => {
    renew()
    const path = `${basePath}/manager/task/${encodeURIComponent(id)}?wait=${limits.wait}`
    const response = await coordinator.call({ method: 'GET', path, timeout: limits.wait + limits.hold / 4 })
    const isUnknown = 'status' in response && response.status === 404
    if (isUnknown && clock.now() >= mayBegin) throw new UnknownTask()
    return taskOf(response)
  }

  /** Follows the switch; rejects with an `UnknownTask` once the coordinator has none of its id. */
  async function follow(first: SwitchTask | undefined): Promise<SwitchEnd> {
    const onAnswer = (task: SwitchTask): void => {
      answered = clock.now()
      mayBegin = 0
      step = task.step
      // From here on the coordinator only looks, and nobody has to wait for that.
      if (step === 'verify') void releaseOnce(to)
      onTask(task)
    }
    const pause = async (milliseconds: number): Promise<void> => {
      await clock.wait(milliseconds)
      if (signal.aborted) stopsAt = Math.min(stopsAt, clock.now() + limits.hold)
      if (clock.now() >= stopsAt) throw new Stopped()
    }
    try {
      const task = await followSwitch({
        first,
        read,
        onTask: onAnswer,
        clock: { now: clock.now, wait: pause },
      })
      return task === undefined
        ? { kind: 'lost', problem: 'it has not answered for 30 s' }
        : { kind: 'ended', task }
    } catch (error) {
      if (error instanceof Stopped) return { kind: 'lost', problem: 'it had not ended 8 s after Ctrl-C' }
      throw error
    }
  }

  async function work(): Promise<SwitchEnd> {
    const problems = await holding
    if (problems.length > 0) return { kind: 'not-held', problems }
    if (signal.aborted) return { kind: 'interrupted' }
    isBegun = true
    const path = controlPath(service, operation, [
      ...switchQuery({ to, accept }),
      'peers=held',
      `id=${id}`,
      `wait=${limits.wait}`,
    ])
    const response = await coordinator.call({ method: 'POST', path, timeout: limits.begin })
    const first = taskOf(response)
    const refusal =
      'status' in response && first === undefined ? (problemOf(response) ?? 'not a task') : undefined
    // Without a response it may still begin; and a call that arrived twice is refused the second time.
    const wait = refusal === undefined ? limits.hold : isRunning(response) ? limits.second : 0
    mayBegin = clock.now() + wait
    try {
      return await follow(first)
    } catch (error) {
      if (!(error instanceof UnknownTask)) throw error
      if (refusal !== undefined && step === 'hold') return { kind: 'refused', problem: refusal }
      return { kind: 'lost', problem: 'it does not know the switch' }
    }
  }

  /** Ends the holds, with a primary or with what the servers say. Tries a host twice. */
  async function release(primary: string | null): Promise<readonly HostProblem[]> {
    // A release that overtook a hold would leave it.
    await holding
    const tell = (managers: readonly ManagerOfHost[]): Promise<readonly HostProblem[]> =>
      onEach(managers, (manager) =>
        manager.call({
          method: 'POST',
          path: controlPath(service, 'release'),
          body: envelope('ReleasePayload', { id, primary }),
          timeout: limits.call,
        }),
      )
    const failed = await tell(others)
    if (failed.length === 0) return []
    await clock.wait(limits.pause)
    return tell(others.filter(({ host }) => failed.some((one) => one.host === host)))
  }

  /** Ends the holds once, and notes when that was. */
  function releaseOnce(primary: string | null): Promise<readonly HostProblem[]> {
    releasing ??= release(primary).finally(() => {
      heldMilliseconds = clock.now() - began
    })
    return releasing
  }

  /** Returns the primary after the switch, null if it was not begun; undefined if nobody knows. */
  async function primaryAfter(end: SwitchEnd): Promise<string | null | undefined> {
    if (end.kind === 'lost') return undefined
    if (end.kind !== 'ended') return null
    if (end.task.result !== null) return end.task.result.newPrimary
    const path = serviceStatusPath(service)
    const response = await coordinator.call({ method: 'GET', path, timeout: limits.call })
    const writer = 'status' in response ? readServiceStatus(response.body)?.writer.datasource : undefined
    return writer === from || writer === to ? writer : undefined
  }

  let end: SwitchEnd
  try {
    end = await work()
  } catch (error) {
    if (!isBegun) await release(null)
    throw error
  }
  const primary = await primaryAfter(end)
  const isReleased = releasing !== undefined || primary !== undefined
  const unreleased = isReleased ? await releaseOnce(primary === undefined ? to : primary) : []
  return { end, isReleased, unreleased, heldMilliseconds: heldMilliseconds ?? clock.now() - began }
}

const isRunning = (response: ManagerResponse): boolean =>
  'status' in response && readProblem(response)?.code === 'operation-running'

/** The coordinator answers that it has no such task. */
class UnknownTask extends Error {}

/** The operator stopped the command, and a hold would have run out since. */
class Stopped extends Error {}

const taskOf = (response: ManagerResponse): SwitchTask | undefined =>
  'status' in response && response.status === 200 ? readSwitchTask(response.body) : undefined

/** Calls all managers at the same time; returns those that did not do it. */
async function onEach(
  managers: readonly ManagerOfHost[],
  call: (manager: ManagerOfHost) => Promise<ManagerResponse>,
): Promise<readonly HostProblem[]> {
  const found = await Promise.all(
    managers.map(async (manager): Promise<readonly HostProblem[]> => {
      const problem = problemOf(await call(manager))
      return problem === undefined ? [] : [{ host: manager.host, problem }]
    }),
  )
  return found.flat()
}
