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
import { becomePrimary, SwitchError, type SwitchNode, type Timing, words } from './runSwitch.ts'

/** Milliseconds between two looks at how far a server has applied what it received. */
const pause = 20

/**
 * Makes `to` the primary in place of one that is lost. Clients wait already. First all survivors leave the lost primary: it
 * may be alive behind a link that is cut, and with semi-synchronous replication it can acknowledge nothing from then on.
 * Then it compares all that they have received, so that nothing is lost that any of them has. Rejects with a `SwitchError`,
 * and then they have to fetch again.
 */
export async function promoteSurvivor(options: {
  readonly to: SwitchNode
  /** The other survivors. */
  readonly others: readonly SwitchNode[]
  /** True if the lost primary answers after all. */
  readonly isBack: () => boolean
  readonly semiSync: ServerReading['semiSync']
  readonly begin: (step: SwitchStep) => Promise<void>
  /** Time of `timing.now` at which the failover must be over or taken back. */
  readonly deadline: number
  readonly timing: Timing
}): Promise<void> {
  const { to, others, isBack, semiSync, begin, deadline, timing } = options
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
    await next('promote')
    // The connection to one that was started meanwhile is gone: its start led it back to the lost primary.
    await Promise.all(others.map(({ server }) => server.gtids()))
    // Without a replica a source of semi-synchronous replication would keep its first clients waiting.
    await becomePrimary(to, { ...semiSync, source: semiSync.source && others.length > 0 })
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
