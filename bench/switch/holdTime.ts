import { setTimeout as delay } from 'node:timers/promises'
import { startSwitchCluster } from '../../test/lab/scenario/switchCluster.ts'
import type { LabHost } from '../../test/lab/support/labTypes.ts'
import { labHere } from '../../test/lab/support/requirements.ts'
import { figuresOf } from '../../test/support/switchFigures.ts'
import type { Span } from '../../test/support/writeLoad.ts'

const rounds = 10
const clients = { each: 20, kept: 20 } as const

/**
 * Returns how long forty clients are held by a switch of ours and by the same statements by hand, in turn, over three
 * hosts of the lab, and the ratio of the medians.
 */
export async function holdTime(): Promise<unknown> {
  if (labHere.missing) return { skipped: `this takes the lab${labHere.needs}` }
  const lab = await startSwitchCluster()
  try {
    const install = await lab.cluster.operator.muster(['install', '--yes', 'alpha.yaml'])
    if (install.code !== 0) throw new Error(install.stderr)
    await lab.settled()
    const load = lab.load(clients)
    const change = async (way: (to: LabHost) => Promise<unknown>): Promise<Span> => {
      const to = lab.after(await lab.primary())
      const begin = performance.now()
      await way(to)
      return { begin, end: performance.now() }
    }
    const ours: Span[] = []
    const byHand: Span[] = []
    await delay(3000)
    for (let round = 0; round < rounds; round += 1) {
      ours.push(
        await change(async (to) => {
          const { code, stderr } = await lab.switchTo(to)
          if (code !== 0) throw new Error(stderr)
        }),
      )
      await delay(2000)
      byHand.push(await change(lab.byHand))
      await delay(2000)
    }
    await load.stop()
    const all = [...ours, ...byHand]
    const [own, hand] = [figuresOf(load, ours, all), figuresOf(load, byHand, all)]
    return {
      ratio: Number((own.hold.median / hand.hold.median).toFixed(2)),
      limit: 'at most 2',
      ours: own,
      byHand: hand,
    }
  } finally {
    await lab.stop()
  }
}
