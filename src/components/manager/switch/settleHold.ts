import { DatabaseError } from '../../databases/databaseError.ts'
import type { Manager, ManagerLog } from '../createManager.ts'
import type { HoldRecord } from '../managerState.ts'
import { readingOf } from '../replicationGraph.ts'
import { closeNodes, forceLock, nodeOf, type OpenServer, readNodes, semiSyncOf, tlsOf } from './nodes.ts'
import { directFollowers } from './planSwitch.ts'
import { repoint, type Settlement, type SourceAccount, type SwitchNode, settle } from './runSwitch.ts'

type Means = {
  readonly manager: Manager
  readonly open: OpenServer
  readonly account: () => SourceAccount
  readonly log: ManagerLog
}

const isCaughtUpAt: ReadonlySet<HoldRecord['step']> = new Set(['promote', 'repoint', 'release'])

/** Settles the switch of a hold over connections that end those of whoever left it. */
export async function settleHold(means: Means, hold: HoldRecord): Promise<Settlement> {
  const { manager, open, log } = means
  const { service, step, isOwn } = hold
  const views = manager.views(service)
  const nodes = [hold.from, hold.to].flatMap((name) => views.find((it) => it.name === name) ?? [])
  const [from, to] = nodes.map((it) => nodeOf(open, it))
  if (!from || !to) {
    return { kind: 'open', reason: 'The services map does not name both of them any more.' }
  }
  try {
    await Promise.all([forceLock(from), forceLock(to)])
    const isCaughtUp = isCaughtUpAt.has(step)
    // Another manager recorded its steps on its own host.
    const end = await settle({ from, to, isCaughtUp, mayBePromoted: isCaughtUp || !isOwn })
    if (end.kind === 'forward') await followNew(means, hold, to)
    log.warn({ service, from: from.name, to: to.name, ...end }, 'settled a switch')
    return end
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    return { kind: 'open', reason: error.message }
  } finally {
    closeNodes([from, to])
  }
}

/** Lets all who followed the old primary, and itself, follow the new one. */
async function followNew(means: Means, { service, from }: HoldRecord, to: SwitchNode): Promise<void> {
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
    for (const remark of await repoint({
      followers,
      to,
      from,
      account: account(),
      tls: tlsOf(nodes),
      semiSync,
    })) {
      log.warn({ service, remark }, 'a switch leaves something to do')
    }
  } finally {
    closeNodes(nodes)
  }
}
