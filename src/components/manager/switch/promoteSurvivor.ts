import type { SwitchStep } from '../../../contracts/managerPayloads.ts'
import {
  containsGtids,
  countGtids,
  type GtidSet,
  gtidText,
  missingGtids,
  noGtids,
} from '../../databases/gtidSet.ts'
import type { ServerReading } from '../../databases/probe.ts'
import { becomePrimary, repoint, SwitchError, type SwitchNode, type Timing, words } from './runSwitch.ts'

/** Milliseconds between two looks at how far a server has applied what it received. */
const pause = 20

/**
 * Makes `to` the primary in place of one that is lost. Clients wait already. First all survivors leave the lost primary: it
 * may be alive behind a link that is cut, and with semi-synchronous replication it can acknowledge nothing from then on.
 * Then it compares all that they have received, so that nothing is lost that any of them has, and lets those that have
 * applied it follow `to`: a start does not lead them back. Resolves to their names. Rejects with a `SwitchError`, and then
 * all have to wait for the lost primary again.
 */
export async function promoteSurvivor(options: {
  readonly to: SwitchNode
  /** The other survivors. */
  readonly others: readonly SwitchNode[]
  /** Those of them that follow the lost primary itself. */
  readonly followers: readonly SwitchNode[]
  /** True if the lost primary answers after all. */
  readonly isBack: () => boolean
  readonly semiSync: ServerReading['semiSync']
  readonly begin: (step: SwitchStep) => Promise<void>
  /** Time of `timing.now` at which the failover must be over or taken back. */
  readonly deadline: number
  readonly timing: Timing
}): Promise<readonly string[]> {
  const { to, others, followers, isBack, semiSync, begin, deadline, timing } = options
  const next = async (step: SwitchStep): Promise<void> => {
    if (timing.now() >= deadline) throw late()
    if (isBack()) throw new SwitchError('The old primary answers again.')
    await begin(step)
  }
  try {
    await next('freeze')
    await Promise.all([to, ...others].map(({ server }) => server.stopReceiving()))
    await next('catch-up')
    const [wanted, ...theirs] = await Promise.all([to, ...others].map(receivedOf))
    for (const [index, other] of others.entries()) refuseMissing(to, wanted, other, theirs[index])
    while (!containsGtids((await to.server.gtids()) ?? noGtids, wanted ?? noGtids)) {
      if (timing.now() >= deadline) throw late()
      await timing.wait(pause)
    }
    const moved = await follow(to, followers)
    await next('promote')
    // The connection to one that was started meanwhile is gone: its start may have led it back to the lost primary.
    await Promise.all(others.map(({ server }) => server.gtids()))
    // Without a replica a source of semi-synchronous replication would keep its first clients waiting.
    await becomePrimary(to, { ...semiSync, source: semiSync.source && others.length > 0 })
    return moved
  } catch (error) {
    throw new SwitchError(words(error), { cause: error })
  }
}

const late = (): SwitchError => new SwitchError('It took longer than clients may wait (connector-max-hold).')

async function receivedOf({ name, server }: SwitchNode): Promise<GtidSet> {
  const gtids = await server.received()
  if (gtids) return gtids
  throw new SwitchError(`The transactions of ${name} are unknown: it has no GTIDs.`)
}

/**
 * Lets those follow the new primary that have applied all that they received, since they lose the rest; returns their names.
 * The others, and those where it fails, are told once it can be written.
 */
async function follow(to: SwitchNode, followers: readonly SwitchNode[]): Promise<readonly string[]> {
  const hasApplied = async (it: SwitchNode): Promise<boolean> =>
    containsGtids((await it.server.gtids()) ?? noGtids, await receivedOf(it))
  const applied = await Promise.all(followers.map(async (it) => ((await hasApplied(it)) ? [it] : [])))
  const ready = applied.flat()
  const left = await repoint({ followers: ready, to })
  return ready.flatMap(({ name }) => (left.some((it) => it.name === name) ? [] : [name]))
}

function refuseMissing(
  { name }: SwitchNode,
  has: GtidSet = noGtids,
  { name: other }: SwitchNode,
  its: GtidSet = noGtids,
): void {
  const missing = missingGtids(its, has)
  if (missing.ranges.size === 0) return
  throw new SwitchError(
    `${other} received ${countGtids(missing)} that ${name} does not have: ${gtidText(missing)}. Repeat the failover.`,
  )
}
