import { DatabaseError } from '../../databases/databaseError.ts'
import type { Manager } from '../createManager.ts'
import type { HoldRecord } from '../managerState.ts'
import { isOut, type Member, readingOf } from '../replicationGraph.ts'
import type { ManagerLog } from '../serviceAssessments.ts'
import type { Hold } from '../switchHolds.ts'
import {
  closeNodes,
  forceLock,
  nodeOf,
  type OpenServer,
  readNodes,
  semiSyncOf,
  takesEvents,
  tlsOf,
} from './nodes.ts'
import { directFollowers } from './planSwitch.ts'
import { reasonAgainst } from './repointSource.ts'
import {
  findEnd,
  type Left,
  notYet,
  receiveAgain,
  repoint,
  type Settlement,
  type SourceAccount,
  type SwitchNode,
  settle,
  startEvents,
} from './runSwitch.ts'

type Means = {
  readonly manager: Manager
  readonly open: OpenServer
  readonly account: () => SourceAccount
  readonly log: ManagerLog
}

const isCaughtUpAt: ReadonlySet<HoldRecord['step']> = new Set(['promote', 'repoint', 'release', 'verify'])

/** How a switch was settled, and who does not follow the new primary yet. */
type Settled = { readonly end: Settlement; readonly left: readonly Left[] }

const open = (reason: string): Settled => ({ end: { kind: 'open', reason }, left: [] })

/** Settles the switch of a hold over connections that end those of whoever left it. */
export async function settleHold(means: Means, hold: Hold): Promise<Settled> {
  const { manager, log } = means
  const { service, operation, step, isOwn } = hold
  const views = manager.views(service)
  const nodes = [hold.from, hold.to].flatMap((name) => views.find((it) => it.name === name) ?? [])
  const [from, to] = nodes.map((it) => nodeOf(means.open, it))
  const others = views.flatMap((it) =>
    nodes.includes(it) || it.role === 'witness' ? [] : [nodeOf(means.open, it)],
  )
  if (!from || !to) {
    return open('The services map does not name both of them any more.')
  }
  try {
    const isRecorded = isCaughtUpAt.has(step)
    // Later another manager may have settled it by way of the old primary.
    const isCaughtUp = isRecorded && isOwn && hold.isInForce
    // Another manager recorded its steps on its own host.
    const unfinished = { operation, from, to, isCaughtUp, mayBePromoted: isRecorded || !isOwn, others }
    const possible = await findEnd(unfinished)
    // Whoever can settle it is not disturbed by those who cannot.
    if (possible.kind === 'open') return { end: possible, left: [] }
    await Promise.all([forceLock(from), forceLock(to)])
    const end = await settle(unfinished)
    const left = end.kind === 'forward' ? await followNew(means, hold, to) : []
    if (end.kind === 'back' && operation === 'failover') await waitAgain(means, hold, from)
    log.warn({ service, operation, from: from.name, to: to.name, ...end }, 'settled a switch')
    return { end, left }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    return open(error.message)
  } finally {
    closeNodes([from, to, ...others])
  }
}

/** Returns true for a server whose receiver alone is stopped, as a failover does it. */
const isStopped = (member: Member): boolean =>
  readingOf(member)?.channels.some((it) => it.receiver === 'stopped' && it.applier === 'running') === true

/** Lets the survivors of a failover that went back wait for the lost primary as before. */
async function waitAgain({ manager, open, log }: Means, hold: HoldRecord, from: SwitchNode): Promise<void> {
  const { service } = hold
  const nodes = await readNodes(open, manager, service)
  try {
    const members = nodes.map(({ member }) => member)
    const target = members.filter(({ name }) => name === hold.to)
    const moved = directFollowers(members, target)
    const survivors = nodes.filter(({ name, member }) => name !== hold.from && !isOut(member))
    await Promise.all(
      survivors.map(async ({ name, server, member }) => {
        try {
          if (moved.includes(member)) await server.follow({ host: from.host, port: from.port })
          else if (isStopped(member)) await server.startReplication()
        } catch (error) {
          if (!(error instanceof DatabaseError)) throw error
          log.warn(
            { service, datasource: name, err: error },
            'the replication of a server was not started again',
          )
        }
      }),
    )
  } finally {
    closeNodes(nodes)
  }
}

/** Lets all who followed the old primary, and itself, follow the new one; returns those that do not. */
async function followNew(
  means: Means,
  { service, from, operation }: HoldRecord,
  to: SwitchNode,
): Promise<readonly Left[]> {
  const { manager, open, account, log } = means
  const nodes = await readNodes(open, manager, service)
  try {
    const old = nodes.find(({ name }) => name === from)
    const ends = nodes.filter((it) => it === old || it.name === to.name).map(({ member }) => member)
    const direct = directFollowers(
      nodes.map(({ member }) => member),
      ends,
    )
    const followers = nodes.filter((it) => direct.includes(it.member) || (it === old && readingOf(it.member)))
    const semiSync = old ? semiSyncOf(old) : { source: false, replica: false }
    const away = nodes.filter((it) => !readingOf(it.member) && (it === old || it.member.state === 'ONLINE'))
    const unstarted = old && takesEvents(old) ? await startEvents(to) : []
    for (const remark of unstarted) log.warn({ service, remark }, 'a switch leaves something to do')
    const target = nodes.find(({ name }) => name === to.name)
    // Its own manager removes commits that wait, and lets it follow then.
    const reason = old && target && reasonAgainst(old, target)
    const left = [
      ...(reason === undefined ? [] : [{ name: from, remark: reason }]),
      ...away.map(({ name }) => ({ name, remark: notYet(name, to.name, 'It cannot be reached.') })),
      ...(await repoint({
        followers: followers.filter((it) => reason === undefined || it !== old),
        to,
        former: { name: from, account: account(), tls: tlsOf(nodes), semiSync },
      })),
    ]
    const others =
      operation === 'failover' ? nodes.filter((it) => !followers.includes(it) && it !== target) : []
    const stopped = await receiveAgain(others.filter(({ member }) => !isOut(member) && isStopped(member)))
    for (const { remark } of [...left, ...stopped]) {
      log.warn({ service, remark }, 'a switch leaves something to do')
    }
    return left
  } finally {
    closeNodes(nodes)
  }
}
