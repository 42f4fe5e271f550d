import { randomUUID } from 'node:crypto'
import { ProblemError } from '../../../api/problemError.ts'
import type {
  SwitchPlanPayload,
  SwitchRefusal,
  SwitchStep,
  TaskPayload,
} from '../../../contracts/managerPayloads.ts'
import type { Secret } from '../../../secrets/secret.ts'
import { DatabaseError } from '../../databases/databaseError.ts'
import type { OtherManagers } from '../askManagers.ts'
import type { Manager, ManagerLog } from '../createManager.ts'
import type { HoldRecord } from '../managerState.ts'
import { readingOf } from '../replicationGraph.ts'
import { closeNodes, inUse, type OpenServer, type ReadNode, semiSyncOf } from './nodes.ts'
import type { SwitchLimits } from './planSwitch.ts'
import {
  moveWriter,
  repoint,
  type Settlement,
  type SourceAccount,
  SwitchError,
  type Timing,
} from './runSwitch.ts'
import { settleHold } from './settleHold.ts'
import { type Survey, surveySwitch } from './surveySwitch.ts'
import { createTaskTable, type Task } from './taskTable.ts'

/** A call that asks for a switch. */
export type SwitchOrder = {
  readonly service: string
  /** The new primary; undefined for the data source that is the least behind. */
  readonly to: string | undefined
  /** Id of the holds that the caller has at all other hosts; undefined where this manager has to see to them. */
  readonly heldAs: string | undefined
  readonly by: string
  /** Login of the caller, which other managers ask for, too. */
  readonly authorization: Secret | undefined
}

/** Switches primaries, one at a time for each service. */
export type Switcher = {
  /** Plans a switch and changes nothing. Throws problems. */
  plan(order: Pick<SwitchOrder, 'service' | 'to'>): Promise<SwitchPlanPayload>
  /** Begins a switch; resolves to its task once nothing speaks against it. Throws problems, and then nothing changed. */
  start(order: SwitchOrder): Promise<TaskPayload>
  /** Throws a `not-found` problem. */
  task(id: string): TaskPayload
  close(): void
}

/** Milliseconds between two attempts to settle a switch while a server cannot be reached. */
const settlePause = { shortest: 500, longest: 15_000 } as const

const wrongState = (detail: string, refusals: readonly SwitchRefusal[] = []): ProblemError =>
  new ProblemError({
    code: 'wrong-state',
    detail,
    errors: refusals.map(({ datasource, reason, fix }) => ({
      path: `/${datasource ?? ''}`,
      message: fix === null ? reason : `${reason} ${fix}`,
    })),
  })

const sentenceOf = ({ datasource, reason }: SwitchRefusal): string =>
  datasource === null ? reason : `${datasource}: ${reason}`

const asProblem = (error: unknown): unknown =>
  error instanceof DatabaseError ? wrongState(`Nothing was changed. ${error.message}`) : error

/** Returns the sentence of a failure; throws what is a bug. */
function sentence(error: unknown): string {
  if (error instanceof SwitchError || error instanceof DatabaseError || error instanceof ProblemError) {
    return `${error.message.replace(/\.$/, '')}.`
  }
  throw error
}

/** Returns how a failed switch ended. */
function endWords({ from, to }: Pick<HoldRecord, 'from' | 'to'>, end: Settlement): string {
  if (end.kind === 'back') return `${from} is still the primary.`
  if (end.kind === 'forward') {
    return `${to} is the primary; where others do not follow it yet, use tapi datasource recover.`
  }
  return `Neither ${from} nor ${to} is the primary until this is settled: ${end.reason}`
}

export function createSwitcher(options: {
  readonly manager: Manager
  readonly open: OpenServer
  /** Account by which the old primary follows the new one. */
  readonly account: () => SourceAccount
  /** Milliseconds; `maxHold` is the time that clients of the service may wait. */
  readonly limits: SwitchLimits & { readonly drainTimeout: number; readonly maxHold: number }
  readonly grants: () => string
  /** Undefined where this manager is the only one. */
  readonly others: OtherManagers | undefined
  /** Resolves when the connector of this host acts on what changed. */
  readonly update: () => Promise<void>
  readonly timing: Timing
  readonly now: () => Date
  readonly log: ManagerLog
}): Switcher {
  const { manager, limits, others, update, timing, now, log } = options
  const tasks = createTaskTable(now)
  /** Services with a switch that this process makes or settles. */
  const busy = new Set<string>()
  let isClosed = false

  function refuseSecond(service: string, heldAs: string | undefined): void {
    const hold = manager.holdOf(service)
    if (!busy.has(service) && (!hold?.isInForce || hold.id === heldAs)) return
    const names = hold ? ` from ${hold.from} to ${hold.to}` : ''
    throw new ProblemError({
      code: 'operation-running',
      detail: `A switch of the service ${service}${names} is under way.`,
    })
  }

  async function lockAll(nodes: readonly ReadNode[], service: string): Promise<void> {
    const reached = nodes.filter(({ member }) => readingOf(member))
    const got = await Promise.all(reached.map(({ server }) => server.lock(false)))
    const refused = reached.filter((_, index) => !got[index]).map(({ name }) => name)
    if (refused.length === 0) return
    throw new ProblemError({
      code: 'operation-running',
      detail: `Another switch of the service ${service} is running: it has the locks of ${refused.join(', ')}.`,
    })
  }

  async function start(order: SwitchOrder): Promise<TaskPayload> {
    const { service, heldAs } = order
    manager.views(service)
    if (others && heldAs === undefined && order.authorization === undefined) {
      throw wrongState(
        'The other managers take part only with the login of a user. Send it by HTTP Basic, or use muster switch.',
      )
    }
    refuseSecond(service, heldAs)
    busy.add(service)
    let survey: Survey | undefined
    try {
      const left = manager.holdOf(service)
      if (left && left.id !== heldAs) await finish(left)
      survey = await surveySwitch({
        ...options,
        others: heldAs === undefined ? others : undefined,
        service,
        wanted: order.to,
      })
      const { nodes, plan } = survey
      const from = nodes.find(({ name }) => name === plan.from)
      const to = nodes.find(({ name }) => name === plan.to)
      if (plan.refusals.length > 0 || !from || !to) {
        const told = plan.refusals.map(sentenceOf).join(' ')
        throw wrongState(`The primary of ${service} cannot be switched now. ${told}`.trimEnd(), plan.refusals)
      }
      await lockAll(nodes, service)
      const task = tasks.add({ id: heldAs ?? randomUUID(), service, step: 'check' })
      log.info({ service, from: from.name, to: to.name, by: order.by }, 'switches the primary')
      void run({ order, task, survey, from, to }).finally(() => {
        closeNodes(nodes)
        busy.delete(service)
      })
      return task.payload()
    } catch (error) {
      closeNodes(survey?.nodes ?? [])
      busy.delete(service)
      throw asProblem(error)
    }
  }

  type Run = {
    readonly order: SwitchOrder
    readonly task: Task
    readonly survey: Survey
    readonly from: ReadNode
    readonly to: ReadNode
  }

  async function run(it: Run): Promise<void> {
    try {
      await runOnce(it)
    } catch (error) {
      log.error({ err: error }, 'a fault of the switch')
      it.task.fail('It failed by a fault of the manager; its log tells more.')
    }
  }

  async function runOnce({ order, task, survey, from, to }: Run): Promise<void> {
    const { service, by, authorization } = order
    const { id } = task
    const begun = timing.now()
    // Clients that came first are told why before it is over.
    const deadline = begun + Math.round(limits.maxHold * 0.9)
    const asked = order.heldAs === undefined ? others : undefined
    const record = (step: SwitchStep) => ({
      service,
      id,
      from: from.name,
      to: to.name,
      step,
      milliseconds: Math.max(1, Math.round(deadline - timing.now())),
    })

    function recordHere(step: SwitchStep): void {
      task.begin(step)
      manager.hold({ ...record(step), by, isOwn: true })
    }
    async function recordThere(step: SwitchStep): Promise<void> {
      const answers = (await asked?.hold(record(step), authorization)) ?? []
      const needed = inUse(manager, service)
      const [first] = answers.filter(({ name, problem }) => problem !== undefined && needed.has(name))
      if (first) throw new SwitchError(`The manager of ${first.name} did not take part: ${first.problem}`)
    }
    async function release(primary: string): Promise<void> {
      const [, answers] = await Promise.all([
        manager.release({ service, id, primary, by }).then(update),
        asked?.release({ service, id, primary }, authorization),
      ])
      for (const { name, problem } of answers ?? []) {
        if (problem === undefined) continue
        log.warn({ service, manager: name, problem }, 'a manager was not told how a switch ended')
      }
    }

    try {
      recordHere('hold')
      await Promise.all([update(), recordThere('hold')])
    } catch (error) {
      const why = sentence(error)
      await release(from.name)
      return task.fail(`Nothing was changed. ${why}`)
    }
    const semiSync = semiSyncOf(from)
    try {
      await moveWriter({
        from,
        to,
        known: new Set(survey.sessions.map((session) => session.id)),
        semiSync,
        begin: async (step) => {
          recordHere(step)
          if (step === 'promote') await recordThere(step)
        },
        drainTimeout: limits.drainTimeout,
        deadline,
        timing,
      })
    } catch (error) {
      const why = sentence(error)
      log.warn({ service, step: task.payload().step, reason: why }, 'a switch has to be settled')
      closeNodes([from, to])
      const hold = manager.holdOf(service)
      if (hold?.id !== id) return task.fail(why)
      const end = await settleHold(options, hold)
      if (end.kind === 'open') void settleLater(hold)
      else await release(end.kind === 'forward' ? to.name : from.name)
      return task.fail(`${why} ${endWords(hold, end)}`)
    }
    recordHere('repoint')
    const left = await repoint({
      followers: survey.nodes.filter(({ name }) => survey.plan.followers.includes(name)),
      to,
      from: from.name,
      account: options.account(),
      semiSync,
    })
    recordHere('release')
    await release(to.name)
    const result = {
      oldPrimary: from.name,
      newPrimary: to.name,
      heldMilliseconds: Math.round(timing.now() - begun),
      remarks: [...survey.plan.remarks, ...left],
    }
    task.complete(result)
    log.info({ service, ...result, by }, 'switched the primary')
  }

  /** Ends on this host what was settled. */
  async function releaseHere({ service, id, from, to, by }: HoldRecord, end: Settlement): Promise<void> {
    await manager.release({ service, id, primary: end.kind === 'forward' ? to : from, by })
    await update()
  }

  /** Ends what another switch left. Throws a `wrong-state` problem where that cannot be. */
  async function finish(hold: HoldRecord): Promise<void> {
    const end = await settleHold(options, hold)
    if (end.kind !== 'open') return releaseHere(hold, end)
    throw wrongState(`The switch from ${hold.from} to ${hold.to} is not settled. ${end.reason}`)
  }

  /** Settles a switch in the background, however long a server is away. */
  async function settleLater(hold: HoldRecord): Promise<void> {
    const { service, id } = hold
    const present = (): HoldRecord | undefined => {
      const isMapped = manager.map().services.some(({ name }) => name === service)
      const now = isMapped ? manager.holdOf(service) : undefined
      return now?.id === id ? now : undefined
    }
    try {
      for (let pause: number = settlePause.shortest; ; pause = Math.min(2 * pause, settlePause.longest)) {
        await timing.wait(pause)
        const now = present()
        if (isClosed || !now) return
        if (busy.has(service)) continue
        busy.add(service)
        try {
          const end = await settleHold(options, now)
          if (end.kind === 'open') continue
          await releaseHere(now, end)
          const task = tasks.find(id)
          if (task?.payload().state === 'in_progress') {
            task.fail(`The manager was started anew meanwhile. ${endWords(now, end)}`)
          }
          return
        } finally {
          busy.delete(service)
        }
      }
    } catch (error) {
      log.error({ err: error }, 'a fault of the switch')
    }
  }

  for (const { name: service } of manager.map().services) {
    const hold = manager.holdOf(service)
    if (!hold?.isOwn) continue
    tasks.add({ id: hold.id, service, step: hold.step })
    void settleLater(hold)
  }

  return {
    plan: async ({ service, to }) => {
      manager.views(service)
      try {
        const { nodes, plan } = await surveySwitch({ ...options, service, wanted: to })
        closeNodes(nodes)
        return { service, from: plan.from, to: plan.to, refusals: plan.refusals }
      } catch (error) {
        throw asProblem(error)
      }
    },
    start,
    task: (id) => {
      const task = tasks.find(id)
      if (task) return task.payload()
      throw new ProblemError({
        code: 'not-found',
        detail:
          'This manager has no task of that id. Ask the manager that began it; a restart forgets finished ones.',
      })
    },
    close: () => {
      isClosed = true
    },
  }
}
