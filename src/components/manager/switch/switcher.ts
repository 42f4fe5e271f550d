import { randomUUID } from 'node:crypto'
import { ProblemError } from '../../../api/problemError.ts'
import type { SwitchPlanPayload, TaskPayload } from '../../../contracts/managerPayloads.ts'
import { DatabaseError } from '../../databases/databaseError.ts'
import { type DataSourceKey, sourcesOf } from '../dataSources.ts'
import type { HoldRecord } from '../managerState.ts'
import { isOut, readingOf } from '../replicationGraph.ts'
import type { Hold } from '../switchHolds.ts'
import { endWords, executeSwitch, type SwitchMeans, type SwitchOrder } from './executeSwitch.ts'
import { keepOwnRole } from './keepOwnRole.ts'
import { createLastingSessions } from './lastingSessions.ts'
import { closeNodes, type ReadNode } from './nodes.ts'
import { repointSource } from './repointSource.ts'
import type { Settlement } from './runSwitch.ts'
import { settleHold } from './settleHold.ts'
import { type Survey, type SurveyMeans, surveySwitch } from './surveySwitch.ts'
import { asProblem, sentence, sentenceOf, wrongState } from './switchProblems.ts'
import { createTaskTable } from './taskTable.ts'

/** Switches primaries, one at a time for each service. */
export type Switcher = {
  /** Plans a switch or a failover, and changes nothing. Throws problems. */
  plan(order: Pick<SwitchOrder, 'operation' | 'service' | 'to' | 'accepted'>): Promise<SwitchPlanPayload>
  /** Begins a switch or a failover; resolves to its task once nothing speaks against it. Throws problems, and then nothing changed. */
  start(order: SwitchOrder): Promise<TaskPayload>
  /** Returns a task when it has ended, or after these milliseconds. Rejects with a `not-found` problem. */
  task(id: string, milliseconds: number): Promise<TaskPayload>
  /** Returns the last switch of each service. */
  tasks(): readonly TaskPayload[]
  /** Calls the listener with each task that begins, and with each of its changes; returns the way to stop that. */
  onTask(listener: (task: TaskPayload) => void): () => void
  /** Lets a server follow the writer of its service. Throws problems, and then it is as it was. */
  repoint(key: DataSourceKey): Promise<void>
  close(): void
}

/** Milliseconds between two attempts to let a server follow that was away, and after which a person does. */
const followPause = { shortest: 1000, longest: 5_000, end: 600_000 } as const

/** Milliseconds between two attempts to settle a switch while a server cannot be reached. */
const settlePause = { shortest: 500, longest: 5_000 } as const

/** Milliseconds until the server of this host that refused its role is asked again. */
const ownPause = 2_000

/** Creates the switcher of a manager; a switch of its own that was left unfinished is settled from now on. */
export function createSwitcher(
  options: SwitchMeans & {
    /** Returns the SQL that grants what a switch needs on a server. */
    readonly grants: SurveyMeans['grants']
    /** SQL by which the account may stop the event scheduler of a server. */
    readonly eventsGrant: SurveyMeans['eventsGrant']
    readonly now: () => Date
    readonly crash: Parameters<typeof keepOwnRole>[0]['crash']
  },
): Switcher {
  const { manager, update, timing, now, log } = options
  const listeners = new Set<(task: TaskPayload) => void>()
  const tasks = createTaskTable(now, (task) => {
    for (const listener of listeners) listener(task)
  })
  /** Services with a switch that this process makes or settles. */
  const busy = new Set<string>()
  /** Ids of the switches that are settled in the background. */
  const settling = new Set<string>()
  const lastingSessions = createLastingSessions(timing)
  /** Services for which the server of this host refused its role, and when. */
  const refusals = new Map<string, { readonly at: number; readonly message: string }>()
  let isClosed = false

  function refuseSecond({ service, id }: SwitchOrder): void {
    const hold = manager.holdOf(service)
    if (!busy.has(service) && (!hold?.isInForce || hold.id === id)) return
    const names = hold ? ` from ${hold.from} to ${hold.to}` : ''
    throw new ProblemError({
      code: 'operation-running',
      detail: `A ${hold?.operation ?? 'switch'} of the service ${service}${names} is under way.`,
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
    const { operation, service, id = randomUUID() } = order
    manager.views(service)
    refuseSecond(order)
    busy.add(service)
    let survey: Survey | undefined
    try {
      const left = manager.holdOf(service)
      const open = left && left.id !== id ? await finish(left, operation) : undefined
      survey = await surveySwitch({
        ...options,
        operation,
        service,
        wanted: order.to,
        accepted: order.accepted,
      })
      const { nodes, plan } = survey
      const from = nodes.find(({ name }) => name === plan.from)
      const to = nodes.find(({ name }) => name === plan.to)
      if (plan.refusals.length > 0 || !from || !to) {
        const told = plan.refusals.map(sentenceOf).join(' ')
        const what = operation === 'switch' ? 'switched' : 'replaced'
        throw wrongState(`The primary of ${service} cannot be ${what} now. ${told}`.trimEnd(), plan.refusals)
      }
      if (open) await giveUp(open, from, nodes)
      await lockAll(nodes, service)
      lastingSessions.note(service, survey.sessions)
      const task = tasks.add({ id, operation, service, step: 'check' })
      const facts = { service, from: from.name, to: to.name, by: order.by }
      log.info(facts, operation === 'switch' ? 'switches the primary' : 'replaces the lost primary')
      void execute({ order, task, survey, from, to })
      return task.payload()
    } catch (error) {
      closeNodes(survey?.nodes ?? [])
      busy.delete(service)
      throw asProblem(error)
    }
  }

  async function execute(run: Omit<Parameters<typeof executeSwitch>[1], 'known'>): Promise<void> {
    const { service } = run.order
    let rest: Awaited<ReturnType<typeof executeSwitch>> = {}
    try {
      // Nobody waits yet.
      const known = run.order.operation === 'switch' ? await lastingSessions.of(service) : new Set<number>()
      rest = await executeSwitch(options, { ...run, known })
    } catch (error) {
      log.error({ err: error }, 'a fault of the switch')
      run.task.fail('It failed by a fault of the manager; its log tells more.')
    } finally {
      closeNodes(run.survey.nodes)
      busy.delete(service)
    }
    if (rest.open) await settleLater(rest.open)
    followUp(service, rest.left ?? [])
  }

  /** Ends on this host what was settled. */
  async function releaseHere({ service, id, from, to }: HoldRecord, end: Settlement): Promise<void> {
    await manager.release({ service, id, primary: end.kind === 'forward' ? to : from, isOwn: true })
    await update()
  }

  /**
   * Ends what another switch left. Returns it where only its old primary keeps it open, which a failover does without.
   * Throws a `wrong-state` problem where it cannot be ended.
   */
  async function finish(hold: Hold, next: SwitchOrder['operation']): Promise<Hold | undefined> {
    const { end } = await settleHold(options, hold)
    if (end.kind !== 'open') {
      await releaseHere(hold, end)
      return undefined
    }
    if (next === 'failover') return hold
    throw wrongState(`The switch from ${hold.from} to ${hold.to} is not settled. ${end.reason}`)
  }

  /** Gives a switch up whose old primary is lost, and whose new one was seen not to be one. Throws a problem otherwise. */
  async function giveUp(hold: Hold, lost: ReadNode, nodes: readonly ReadNode[]): Promise<void> {
    const { service, id, from, to } = hold
    const target = nodes.find(({ name }) => name === to)
    const reading = target && readingOf(target.member)
    if (from !== lost.name || !reading || reading.isWritable) {
      throw wrongState(`The switch from ${from} to ${to} is not settled, and ${to} may be the primary.`)
    }
    await manager.release({ service, id, primary: null, isOwn: true })
    await update()
  }

  /** Settles a switch in the background, however long a server is away. */
  async function settleLater(hold: Hold): Promise<void> {
    const { service, id } = hold
    const present = (): Hold | undefined => {
      const isMapped = manager.map().services.some(({ name }) => name === service)
      const now = isMapped ? manager.holdOf(service) : undefined
      return now?.id === id ? now : undefined
    }
    settling.add(id)
    try {
      // Whom others replaced hears late of that. Who took its place is known soon, and its own commits may lock its log until then.
      const isReplaced = hold.operation === 'failover' && manager.ownSource(service)?.name === hold.from
      const first = isReplaced ? settlePause.longest : settlePause.shortest
      for (let pause: number = first; ; pause = Math.min(2 * pause, settlePause.longest)) {
        await timing.wait(pause)
        const now = present()
        // Whoever makes it goes on.
        if (isClosed || !now || (now.isInForce && !now.isOwn)) return
        if (busy.has(service)) continue
        busy.add(service)
        try {
          const { end, left } = await settleHold(options, now)
          if (end.kind === 'open') continue
          await releaseHere(now, end)
          followUp(
            service,
            left.map(({ name }) => name),
          )
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
    } finally {
      settling.delete(id)
    }
  }

  /** Lets servers follow the new primary that could not when it became one. */
  function followUp(service: string, names: readonly string[]): void {
    for (const name of names) {
      followLater({ service, name }).catch((error: unknown) => {
        log.error({ err: error }, 'a fault of the switch')
      })
    }
  }

  async function followLater(key: DataSourceKey): Promise<void> {
    const { service, name } = key
    const end = timing.now() + followPause.end
    for (
      let pause: number = followPause.shortest;
      timing.now() < end;
      pause = Math.min(2 * pause, followPause.longest)
    ) {
      await timing.wait(pause)
      if (isClosed || !isMapped(key)) return
      const { datasource } = manager.writer(service)
      if (datasource === name) return
      // This host may be cut off itself. Another switch may have changed the primary: then it follows that one.
      if (datasource === null) continue
      const checked = await manager.check(key)
      if (checked?.observation.kind !== 'answered') continue
      // Another manager, or a person, may have done it.
      if (checked.finding.result === 'passed' || isOut(manager.view(key))) return
      if (busy.has(service)) continue
      busy.add(service)
      try {
        await repointSource(options, key)
        await manager.check(key)
        log.info(
          { service, datasource: name, primary: datasource },
          'lets a data source follow the new primary',
        )
        return
      } catch (error) {
        if (!(error instanceof DatabaseError) && !(error instanceof ProblemError)) throw error
      } finally {
        busy.delete(service)
      }
    }
  }

  const isMapped = ({ service, name }: DataSourceKey): boolean =>
    sourcesOf(manager.map()).some((it) => it.service === service && it.name === name)

  /** Returns the old primary of a switch that made another one the primary, and those that follow it still. */
  const leftBy = ({ service, from, to }: HoldRecord, primary: string): readonly string[] =>
    primary === to
      ? manager.views(service).flatMap(({ name }) => {
          const isLeft =
            name === from || manager.assessment({ service, name }).finding?.code === 'follows-other'
          return isLeft ? [name] : []
        })
      : []

  for (const { name: service } of manager.map().services) {
    const hold = manager.holdOf(service)
    if (!hold?.isOwn) continue
    tasks.add({ id: hold.id, operation: hold.operation, service, step: hold.step })
    void settleLater(hold)
  }

  /** Ends holds whose time ran out, since whoever made the switch will not: by what the servers say, else by settling it. */
  async function endLeft(): Promise<void> {
    for (const { name: service } of manager.map().services) {
      const hold = manager.holdOf(service)
      if (!hold || hold.isInForce || hold.isOwn || busy.has(service)) continue
      const { datasource: primary } = manager.writer(service)
      if (primary !== hold.from && primary !== hold.to) {
        if (!settling.has(hold.id)) void settleLater(hold)
        continue
      }
      busy.add(service)
      try {
        await manager.release({ service, id: hold.id, primary, isOwn: true })
        await update()
        followUp(service, leftBy(hold, primary))
      } catch (error) {
        // The next change comes to the same end.
        log.error({ service, problem: sentence(error) }, 'a switch that was left stays recorded')
      } finally {
        busy.delete(service)
      }
    }
  }

  /** Corrects the roles of the server of this host; of a service never while a switch of it is under way here. */
  async function keepOwnRoles(): Promise<void> {
    for (const { name: service } of manager.map().services) {
      const kind = manager.ownOrder(service)?.order.kind
      if (isClosed || busy.has(service) || kind === undefined || kind === 'wait') continue
      if (kind === 'crash' && !options.crash) continue
      const last = refusals.get(service)
      if (kind !== 'crash' && last && timing.now() < last.at + ownPause) continue
      busy.add(service)
      try {
        const error = await keepOwnRole(options, service)
        if (!error) refusals.delete(service)
        else refusals.set(service, { at: timing.now(), message: error.message })
        if (error && error.message !== last?.message) {
          log.warn({ service, problem: error.message }, 'the role of the server of this host cannot be set')
        }
      } finally {
        busy.delete(service)
      }
    }
  }

  const reportFault = (error: unknown): void => log.error({ err: error }, 'a fault of the switch')
  const listening = [
    manager.onRoutingChange(() => void endLeft().catch(reportFault)),
    manager.onUpdate(() => void keepOwnRoles().catch(reportFault)),
  ]

  return {
    plan: async ({ operation, service, to, accepted }) => {
      manager.views(service)
      try {
        const { nodes, plan, sessions } = await surveySwitch({
          ...options,
          operation,
          service,
          wanted: to,
          accepted,
        })
        closeNodes(nodes)
        if (operation === 'switch') lastingSessions.note(service, sessions)
        return { service, from: plan.from, to: plan.to, loss: plan.loss, refusals: plan.refusals }
      } catch (error) {
        throw asProblem(error)
      }
    },
    start,
    task: async (id, milliseconds) => {
      const task = tasks.find(id)
      if (task) {
        await task.ended(milliseconds)
        return task.payload()
      }
      throw new ProblemError({
        code: 'not-found',
        detail:
          'This manager has no task of that id. Ask the manager that began it; a restart forgets finished ones.',
      })
    },
    tasks: tasks.latest,
    onTask: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    repoint: async (key) => {
      try {
        await repointSource(options, key)
        await manager.check(key)
      } catch (error) {
        throw asProblem(error)
      }
    },
    close: () => {
      for (const stop of listening) stop()
      isClosed = true
    },
  }
}
