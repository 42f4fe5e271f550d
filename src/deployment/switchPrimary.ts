import { boundedMessage } from '../base/printable.ts'
import type { CallClock } from '../client/call.ts'
import { envelope, readProblem } from '../client/envelope.ts'
import { followSwitch, readSwitchTask, type SwitchPlan, type SwitchTask } from '../client/switchTask.ts'
import { basePath, guardParameter } from '../contracts/route.ts'

/** A call of the manager of a host. */
export type ManagerCall = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  /** Milliseconds. */
  readonly timeout: number
}

/** Response of a manager, or why there is none. Calls may arrive twice, and never reject. */
export type ManagerResponse =
  | { readonly status: number; readonly body: unknown }
  | { readonly silence: string }

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
  /** The coordinator has not answered for long, or no longer knows the switch. */
  | { readonly kind: 'lost'; readonly problem: string }
  | { readonly kind: 'interrupted'; readonly isBegun: boolean }

export type SwitchOutcome = {
  readonly end: SwitchEnd
  /** Hosts that were not told the end of the switch; their holds end by themselves. */
  readonly unreleased: readonly HostProblem[]
  /** From the first hold to the last release, on the hosts beside the coordinator's. */
  readonly heldMilliseconds: number
}

/** Milliseconds after which a hold ends by itself, and for one call. */
const limits = { hold: 8_000, call: 4_000, pause: 500 }

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

const toQuery = (to: string | null | undefined): string =>
  typeof to === 'string' ? `to=${encodeURIComponent(to)}` : ''

/** Returns the path of the plan of a switch. */
export const switchPlanPath = (service: string, to: string | undefined): string =>
  `${serviceStatusPath(service)}/switch${to === undefined ? '' : `?${toQuery(to)}`}`

const controlPath = (service: string, action: string, query: readonly string[] = []): string =>
  `${basePath}/manager/control/service/${encodeURIComponent(service)}/${action}?${[...query, `${guardParameter}=true`].join('&')}`

/**
 * Switches the primary where managers cannot call each other: lets the clients of the other hosts wait, tells the
 * coordinator to switch, follows it, and releases the others, whatever happened. Their holds are renewed only while
 * the coordinator answers.
 */
export async function switchPrimary(options: {
  readonly coordinator: ManagerOfHost
  readonly others: readonly ManagerOfHost[]
  readonly plan: SwitchPlan & { readonly from: string; readonly to: string }
  /** A UUID for the task and its holds. */
  readonly id: string
  /** Called with each answer of the coordinator. */
  readonly onTask: (task: SwitchTask) => void
  readonly clock: CallClock
  readonly signal: AbortSignal
}): Promise<SwitchOutcome> {
  const { coordinator, others, plan, id, onTask, clock, signal } = options
  const { service, from, to } = plan
  const began = clock.now()
  let answered = began
  let renewed = began
  let step = 'hold'
  let isBegun = false
  let isOver = false

  const hold = (): Promise<readonly HostProblem[]> =>
    onEach(others, (manager) =>
      manager.call({
        method: 'POST',
        path: controlPath(service, 'hold'),
        body: envelope('HoldPayload', { id, from, to, step, milliseconds: limits.hold }),
        timeout: limits.call,
      }),
    )
  let holding = hold()

  /** Renews the holds where half of their time has passed, for a coordinator that is there. */
  function renew(): void {
    const now = clock.now()
    if (isOver || now - renewed < limits.hold / 2 || now - answered >= limits.hold / 2) return
    renewed = now
    holding = hold()
  }

  const read = async (): Promise<SwitchTask | undefined> => {
    renew()
    const path = `${basePath}/manager/task/${encodeURIComponent(id)}`
    const response = await coordinator.call({ method: 'GET', path, timeout: limits.hold / 4 })
    if ('status' in response && response.status === 404) throw new UnknownTask()
    return taskOf(response)
  }

  /** Returns the task; undefined if there is no answer to whether it began. */
  async function begin(): Promise<SwitchTask | undefined | { readonly refused: string }> {
    isBegun = true
    const query = [toQuery(to), 'peers=held', `id=${id}`]
    const path = controlPath(service, 'switch', query)
    const response = await coordinator.call({ method: 'POST', path, timeout: limits.call })
    const task = taskOf(response)
    if (task !== undefined) return task
    // A call that arrived twice is refused the second time: whether it began says only the task.
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof UnknownTask)) throw error
      isBegun = false
      return { refused: problemOf(response) ?? 'its response is not a task' }
    }
  }

  async function work(): Promise<SwitchEnd> {
    const problems = await holding
    if (problems.length > 0) return { kind: 'not-held', problems }
    if (signal.aborted) return { kind: 'interrupted', isBegun }
    const first = await begin()
    if (first !== undefined && 'refused' in first) return { kind: 'refused', problem: first.refused }
    const onAnswer = (task: SwitchTask): void => {
      answered = clock.now()
      step = task.step
      onTask(task)
    }
    const pause = async (milliseconds: number): Promise<void> => {
      await clock.wait(milliseconds)
      if (isOver) throw new Stopped()
    }
    try {
      const task = await followSwitch({
        first,
        read,
        onTask: onAnswer,
        clock: { now: clock.now, wait: pause },
      })
      if (task !== undefined) return { kind: 'ended', task }
      return { kind: 'lost', problem: 'it has not answered for 30 s' }
    } catch (error) {
      if (error instanceof UnknownTask) return { kind: 'lost', problem: 'it no longer knows the switch' }
      throw error
    }
  }

  /** Ends the holds; truth decides unless the switch is complete. Tries a host twice. */
  async function release(primary: string | null): Promise<readonly HostProblem[]> {
    isOver = true
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

  let end: SwitchEnd
  try {
    end = await Promise.race([
      work(),
      whenAborted(signal).then((): SwitchEnd => ({ kind: 'interrupted', isBegun })),
    ])
  } catch (error) {
    await release(null)
    throw error
  }
  const result = end.kind === 'ended' ? end.task.result : null
  const unreleased = await release(result?.newPrimary ?? null)
  return { end, unreleased, heldMilliseconds: clock.now() - began }
}

/** The coordinator answers that it has no such task. */
class UnknownTask extends Error {}

/** The switch is over for this program. */
class Stopped extends Error {}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

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
