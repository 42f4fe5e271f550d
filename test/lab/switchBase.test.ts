import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failuresIn, holdTimes, median, type Span, writeTimes } from '../support/writeLoad.ts'
import { type SwitchCluster, startSwitchCluster } from './scenario/switchCluster.ts'
import { labHere } from './support/requirements.ts'

describe.skipIf(labHere.missing)(`base`, () => {
  let lab: SwitchCluster
  beforeAll(async () => {
    lab = await startSwitchCluster()
    const install = await lab.cluster.operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })
    await lab.settled()
  })
  afterAll(() => lab?.stop())
  it('sampler', async () => {
    const sampler = lab.sample()
    await delay(500)
    expect(sampler.overlaps()).toEqual([])
    const admin = await lab.administer(lab.member('db2'))
    await admin.query('SET GLOBAL read_only = 0')
    await delay(40)
    await admin.query('SET GLOBAL read_only = 1')
    await delay(100)
    await sampler.stop()
    admin.destroy()
    console.log(sampler.overlaps().length, sampler.coverage())
    expect(sampler.overlaps().length).toBeGreaterThan(0)
  })
  it('by hand', { timeout: 600_000 }, async () => {
    await lab.settled()
    const loop = monitorEventLoopDelay({ resolution: 5 })
    loop.enable()
    const load = lab.load({ each: 20, kept: 20 })
    const sampler = lab.sample()
    const windows: Span[] = []
    await delay(3000)
    console.log('acks/s', load.acknowledged.length / 3, process.cpuUsage())
    for (let round = 0; round < 6; round += 1) {
      const to = lab.after(await lab.primary())
      const begin = performance.now()
      await lab.byHand(to)
      windows.push({ begin, end: performance.now() })
      await delay(3000)
    }
    const bad: Span[] = []
    for (let round = 0; round < 2; round += 1) {
      const to = lab.after(await lab.primary())
      const begin = performance.now()
      await lab.withoutHolding(to)
      await delay(10000)
      bad.push({ begin, end: performance.now() })
    }
    await load.stop()
    await sampler.stop()
    console.log('loop', loop.max / 1e6, loop.percentile(99) / 1e6, process.cpuUsage())
    for (const w of windows) {
      const h = holdTimes(load, w, [...windows, ...bad])
      const s = writeTimes(load, w)
      console.log(
        'window',
        Math.round(w.end - w.begin),
        'hold',
        h.length,
        Math.round(median(h)),
        Math.round(Math.max(...h)),
        'write',
        Math.round(median(s)),
        Math.round(Math.max(...s)),
        failuresIn(load, w),
      )
    }
    for (const w of bad) {
      const s = writeTimes(load, w)
      console.log('usual', Math.round(median(s)), Math.round(Math.max(...s)), failuresIn(load, w))
    }
    console.log(sampler.overlaps().length, sampler.coverage())
    const { missing } = await lab.missing(load)
    console.log(load.acknowledged.length, missing)
  })
})
