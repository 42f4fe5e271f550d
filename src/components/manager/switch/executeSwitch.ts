import type { SwitchOperation, SwitchStep } from '../../../contracts/managerPayloads.ts'
import type { OtherManagers } from '../askManagers.ts'
import type { Observation } from '../checkResult.ts'
import type { Manager } from '../createManager.ts'
import type { HoldRecord } from '../managerState.ts'
import { isOut, type Member, readingOf } from '../replicationGraph.ts'
import type { ManagerLog } from '../serviceAssessments.ts'
import type { Hold } from '../switchHolds.ts'
import { closeNodes, inUse, type OpenServer, type ReadNode, semiSyncOf, takesEvents, tlsOf } from './nodes.ts'
import type { SwitchLimits } from './planSwitch.ts'
import { promoteSurvivor } from './promoteSurvivor.ts'
import {
  eventRemarks,
  moveWriter,
  receiveAgain,
  repoint,
  type Settlement,
  type SourceAccount,
  SwitchError,
  startEvents,
  type Timing,
} from './runSwitch.ts'
import { settleHold } from './settleHold.ts'
import type { Survey } from './surveySwitch.ts'
import { sentence } from './switchProblems.ts'
import type { Task } from './taskTable.ts'
import { verifyFollowers } from './verifyFollowers.ts'

/** A call that asks for a switch or a failover. */
export type SwitchOrder = {
  readonly operation: SwitchOperation
  readonly service: string
  /** The new primary; undefined for the data source that is the least behind. */
  readonly to: string | undefined
  /** Id of the task and of its holds; undefined for a new one. */
  readonly id: string | undefined
  /** Reasons against it that the operator accepts. */
  readonly accepted: ReadonlySet<string>
  readonly by: string
}

/** Means of a manager to make a switch. */
export type SwitchMeans = {
  readonly manager: Manager
  readonly open: OpenServer
  /** Account by which the old primary follows the new one. */
  readonly account: () => SourceAccount
  /** Milliseconds; `maxHold` is the time that clients of the service may wait. */
  readonly limits: SwitchLimits & { readonly drainTimeout: number; readonly maxHold: number }
  /** Undefined where this manager is the only one. */
  readonly others: OtherManagers | undefined
  /** Resolves when the connector of this host acts on what changed. */
  readonly update: () => Promise<void>
  readonly timing: Timing
  readonly log: ManagerLog
}

/** Rest of a switch: a hold that has to be settled, and servers that do not follow the new primary yet. */
type Rest = { readonly open?: Hold; readonly left?: readonly string[] }

/** Steps that are on disk before they are done. */
const recorded: ReadonlySet<SwitchStep> = new Set(['hold', 'freeze', 'promote', 'repoint'])

/** Attempts to settle a failed switch before its task ends: another manager that settles it, too, ends the sessions of this one. */
const settleAttempts = 3
/** Milliseconds between them. */
const settlePause = 500

/** Returns true where a server received from its source when it was read. */
const isReceiving = (member: Member): boolean =>
  readingOf(member)?.channels.some((it) => it.receiver !== 'stopped') === true

/** Returns how a failed switch or failover ended. */
export function endWords(
  { operation, from, to }: Pick<HoldRecord, 'operation' | 'from' | 'to'>,
  end: Settlement,
): string {
  if (end.kind === 'back') {
    return operation === 'switch' ? `${from} is still the primary.` : `${to} was not made the primary.`
  }
  if (end.kind === 'forward') {
    return `${to} is the primary; where others do not follow it yet, use tapi datasource recover.`
  }
  return `Neither ${from} nor ${to} is the primary until this is settled: ${end.reason}`
}

/**
 * Makes a switch or a failover against which nothing speaks, and records in the task how far it is and how it ended.
 * Resolves to what is left to do.
 */
export async function executeSwitch(
  means: SwitchMeans,
  run: {
    readonly order: SwitchOrder
    readonly task: Task
    readonly survey: Survey
    readonly known: ReadonlySet<number>
    readonly from: ReadNode
    readonly to: ReadNode
  },
): Promise<Rest> {
  const { manager, limits, others, update, timing, log } = means
  const { order, task, survey, from, to } = run
  const { operation, service, by } = order
  const isFailover = operation === 'failover'
  const lost = isFailover ? from.name : undefined
  /** Primary where it goes back; null: as the servers say. */
  const before = isFailover ? null : from.name
  const { id } = task
  const begun = timing.now()
  // Clients that came first are told why before it is over.
  const deadline = begun + Math.round(limits.maxHold * 0.9)
  const record = (step: SwitchStep) => ({
    ...{ service, operation, id, step },
    from: from.name,
    to: to.name,
    by,
    // Others settle it from then on: not before this manager could.
    milliseconds: Math.max(1, Math.round(begun + limits.maxHold - timing.now())),
  })

  function recordHere(step: SwitchStep): void {
    task.begin(step)
    // The others change no server.
    if (recorded.has(step)) manager.hold({ ...record(step), isOwn: true })
  }
  async function recordThere(step: SwitchStep): Promise<void> {
    const answers = (await others?.hold(record(step), lost)) ?? []
    const needed = inUse(manager, service, lost ?? null)
    const [first] = answers.filter(({ name, problem }) => problem !== undefined && needed.has(name))
    if (first) throw new SwitchError(`The manager of ${first.name} did not take part: ${first.problem}`)
  }
  async function release(primary: string | null): Promise<void> {
    const [, answers] = await Promise.all([
      manager.release({ service, id, primary, isOwn: true }).then(update),
      others?.release({ service, id, primary }, lost),
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
    await release(before)
    task.fail(`Nothing was changed. ${why}`)
    return {}
  }
  const semiSync = (isFailover ? from.member.known?.semiSync : undefined) ?? semiSyncOf(from)
  const way = {
    to,
    others: survey.nodes.filter(
      (it) => it !== from && it !== to && readingOf(it.member) !== undefined && !isOut(it.member),
    ),
    semiSync,
    begin: async (step: SwitchStep) => {
      // Where one of them cannot, this manager goes back: by its own record nothing of the step was done.
      if (step === 'promote') await recordThere(step)
      recordHere(step)
    },
    deadline,
    timing,
  }
  let unknown: readonly string[] = []
  let moved: readonly string[] = []
  try {
    if (isFailover) {
      const seen = (): Observation | null => manager.health({ ...from.member, service }).observation
      const first = seen()
      // One that is back without its last commits answers all the time; it is none any more once it can be written.
      const isBack = (): boolean => {
        const now = seen()
        if (now === first || now?.kind !== 'answered') return false
        return first?.kind !== 'answered' || now.reading.isWritable
      }
      const followers = way.others.filter(({ name }) => survey.plan.followers.includes(name))
      moved = await promoteSurvivor({ ...way, followers, isBack })
    } else {
      unknown = await moveWriter({ ...way, from, known: run.known, drainTimeout: limits.drainTimeout })
    }
  } catch (error) {
    const why = sentence(error)
    log.warn({ service, operation, step: task.payload().step, reason: why }, 'a switch has to be settled')
    closeNodes([from, to])
    for (let attempt = 1; ; attempt += 1) {
      const hold = manager.holdOf(service)
      if (hold?.id !== id) {
        task.fail(why)
        return {}
      }
      const { end, left } = await settleHold(means, hold)
      if (end.kind === 'open' && attempt < settleAttempts) {
        await timing.wait(settlePause)
        continue
      }
      if (end.kind !== 'open') await release(end.kind === 'forward' ? to.name : before)
      task.fail(`${why} ${endWords(hold, end)}`)
      return end.kind === 'open' ? { open: hold } : { left: left.map(({ name }) => name) }
    }
  }
  recordHere('repoint')
  const unstarted = takesEvents(from) ? await startEvents(to) : []
  const left = await repoint({
    followers: survey.nodes.filter(
      ({ name }) => survey.plan.followers.includes(name) && !moved.includes(name),
    ),
    to,
    former: { name: from.name, account: means.account(), tls: tlsOf([to, ...survey.nodes]), semiSync },
  })
  const rest = isFailover ? way.others.filter(({ name }) => !survey.plan.followers.includes(name)) : []
  const stopped = await receiveAgain(rest.filter(({ member }) => isReceiving(member)))
  task.begin('release')
  await release(to.name)
  const heldMilliseconds = Math.round(timing.now() - begun)
  task.begin('verify')
  const events = await eventRemarks(to)
  const followers = survey.nodes.filter(
    ({ name, member }) => survey.plan.followers.includes(name) && !isOut(member),
  )
  const later = 'The manager tries again for ten minutes; then use tapi datasource recover.'
  const unseen = await verifyFollowers({ open: means.open, service, to, followers, timing, later })
  // One that was late may follow by now; where it does not, what it was told first says more.
  const missing = [
    ...left.filter(({ name }) => !followers.some((it) => it.name === name)),
    ...unseen.map((it) => left.find(({ name }) => name === it.name) ?? it),
  ]
  const result = {
    oldPrimary: from.name,
    newPrimary: to.name,
    heldMilliseconds,
    remarks: [
      ...survey.plan.remarks,
      ...unknown,
      ...unstarted,
      ...events,
      ...[...missing, ...stopped].map(({ remark }) => remark),
    ],
  }
  const state = missing.length + stopped.length === 0 ? 'complete' : 'incomplete'
  task.complete(result, state)
  const done = isFailover ? 'replaced the lost primary' : 'switched the primary'
  log.info({ service, ...result, state, by }, done)
  return { left: missing.flatMap(({ name }) => (name === to.name ? [] : [name])) }
}
