import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { DashboardEvent } from '../../src/contracts/dashboard.ts'
import {
  atSecond,
  dataSource,
  largeCluster,
  problem,
  start,
  troubledCluster,
  wellCluster,
} from '../dashboard/pictures.ts'
import { playOf } from '../dashboard/play.ts'
import { type Play, StandIn } from '../dashboard/standIn.ts'
import { dashboardTests } from './support/dashboardTests.ts'

const open = dashboardTests()

const alphaTable = (page: Page) => page.getByRole('table', { name: 'Data sources of alpha' })
const rowOf = (page: Page, name: string) =>
  alphaTable(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${name}\\b`) }) })
const banner = (page: Page) => page.getByRole('status').filter({ hasText: 'Not connected' })

const failedEvent = (name: string, second: number): DashboardEvent => ({
  kind: 'datasource',
  time: atSecond(second),
  cluster: 'alpha',
  datasource: dataSource({
    name,
    state: 'FAILED',
    since: atSecond(second),
    reason: 'connect ECONNREFUSED',
    appliedLatency: null,
  }),
})

const downEvent = (second: number): DashboardEvent => ({
  kind: 'verdict',
  time: atSecond(second),
  cluster: 'alpha',
  verdict: {
    level: 'down',
    problems: [
      {
        level: 'down',
        text: 'no writer: db1 has failed',
        code: 'no-writer',
        host: 'db1',
        service: 'alpha',
        datasource: 'db1',
      },
    ],
  },
})

/** The play `all`, with another snapshot from now on. */
const withSnapshot = (snapshot: () => DashboardEvent): Play => ({ ...playOf('all'), snapshot })

it('a database that fails is shown, with its problem, the title and words for a screen reader', async () => {
  const { page, standIn } = await open({ at: '#/cluster/alpha' })
  await expect.poll(() => rowOf(page, 'db2').innerText()).toContain('ONLINE')
  standIn.send(failedEvent('db2', 5))
  standIn.send(downEvent(5))
  await expect.poll(() => rowOf(page, 'db2').innerText()).toContain('FAILED')
  await page.getByText('no writer: db1 has failed').first().waitFor()
  await page.getByRole('link', { name: 'Explain no-writer' }).waitFor()
  await expect.poll(() => page.title()).toContain('DOWN')
  await page.getByRole('status').filter({ hasText: 'alpha is DOWN: no writer: db1 has failed.' }).waitFor()
})

it('another worst problem is told; what was said goes after some seconds, and at once by a logout', async () => {
  const { page, standIn } = await open({ at: '#/cluster/alpha' })
  await expect.poll(() => rowOf(page, 'db2').innerText()).toContain('ONLINE')
  const say = (text: string) =>
    standIn.send({
      kind: 'verdict',
      time: atSecond(5),
      cluster: 'alpha',
      verdict: { level: 'degraded', problems: [problem({ text, datasource: 'db2' })] },
    })
  const said = (text: string) => page.getByRole('status').filter({ hasText: text })
  say('db2 has failed')
  await said('alpha is DEGRADED: db2 has failed.').waitFor()
  say('db2 is shunned')
  await said('alpha is DEGRADED: db2 is shunned.').waitFor()
  await expect.poll(() => said('alpha').count()).toBe(0)
  say('db2 is 4 s behind')
  await said('alpha is DEGRADED: db2 is 4 s behind.').waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('Password').waitFor()
  expect(await page.getByRole('status').allTextContents()).not.toContainEqual(
    expect.stringMatching(/alpha|db2/),
  )
})

it('a page that is cut off says since when, keeps what it showed, and goes on by itself', async () => {
  const { page, standIn } = await open({ at: '#/cluster/alpha' })
  await alphaTable(page).waitFor()
  await page.route('**/events', (route) => route.abort())
  standIn.cut()
  await banner(page).waitFor()
  await expect
    .poll(() => banner(page).innerText())
    .toMatch(/Not connected since .*\d\d:\d\d:\d\d.*Shown is the state of/s)
  await expect.poll(() => rowOf(page, 'db2').innerText()).toContain('ONLINE')
  await page.unroute('**/events')
  await page.getByRole('button', { name: 'Try again now' }).click()
  await expect.poll(() => banner(page).count()).toBe(0)
  standIn.send(failedEvent('db2', 9))
  await expect.poll(() => rowOf(page, 'db2').innerText()).toContain('FAILED')
})

it('a page that comes back tells the server the last event that it has', async () => {
  const { page, standIn } = await open({ at: '#/cluster/alpha' })
  await alphaTable(page).waitFor()
  standIn.send(failedEvent('db2', 5))
  await expect.poll(() => rowOf(page, 'db2').innerText()).toContain('FAILED')
  const again = page.waitForRequest(`**/events`)
  standIn.cut()
  expect((await again).headers()['last-event-id']).toBe('2')
})

it('a manager that restarts is followed from its new snapshot, and what it does not have is gone', async () => {
  const { page, standIn, url } = await open({ play: 'all', at: '#/cluster/alpha' })
  await alphaTable(page).waitFor()
  standIn.send(downEvent(5))
  await page.getByText('no writer: db1 has failed').first().waitFor()
  const { host, port } = new URL(url)
  expect(host).toContain('127.0.0.1')
  await standIn.close()
  await banner(page).waitFor()
  const well = wellCluster()
  const clusters = [{ ...well, hosts: well.hosts.slice(0, 2), datasources: well.datasources.slice(0, 2) }]
  const next = new StandIn(withSnapshot(() => ({ kind: 'snapshot', time: atSecond(60), clusters })))
  await next.listen(Number(port))
  try {
    await expect.poll(() => banner(page).count()).toBe(0)
    await expect.poll(() => rowOf(page, 'db3').count()).toBe(0)
    await expect.poll(() => rowOf(page, 'db2').innerText()).toContain('ONLINE')
    await page.getByRole('region', { name: 'Problems' }).getByText('No problems').waitFor()
    expect(await page.getByRole('table', { name: 'Hosts of alpha' }).getByRole('row').count()).toBe(3)
    next.send(failedEvent('db2', 65))
    await expect.poll(() => rowOf(page, 'db2').innerText()).toContain('FAILED')
  } finally {
    await page.goto('about:blank')
    await next.close()
  }
})

it('a server that says nothing for more than two of its comments is not believed any more', async () => {
  const { page } = await open({ at: '#/cluster/alpha' })
  await alphaTable(page).waitFor()
  await page.goto('about:blank')
  await page.clock.install()
  await page.goBack()
  await alphaTable(page).waitFor()
  await page.route('**/events', (route) => route.abort())
  await page.clock.runFor(30_000)
  expect(await banner(page).count()).toBe(0)
  await page.clock.runFor(10_000)
  await banner(page).waitFor()
})

/** Source that sets the viewer's clock to a time. */
const viewersClock = (time: string): string => `{
  const ahead = Date.parse('${time}') - Date.now()
  const Real = Date
  globalThis.Date = class extends Real {
    constructor(...values) {
      if (values.length === 0) super(Real.now() + ahead)
      else super(...values)
    }
    static now() {
      return Real.now() + ahead
    }
  }
}`

it.each([-3600, 3600])(
  'a clock of the viewer that is %i s off changes no age, no lag and no day',
  async (off) => {
    const { page } = await open({ at: '#/cluster/beta', before: viewersClock(atSecond(off)) })
    const db3 = rowOf(page, 'db3')
    await expect.poll(() => db3.innerText()).toContain('for 12 min')
    await expect
      .poll(() => page.getByRole('table', { name: 'Hosts of beta' }).innerText())
      .toContain('5 days')
    await page.getByRole('img', { name: 'highest lag of the last 10 minutes: 40 s' }).first().waitFor()
    // A lag of one minute ago is at the end of the line, wherever the viewer's clock is.
    const path = await rowOf(page, 'db2').getByRole('img').locator('path').getAttribute('d')
    const numbers = [...(path ?? '').matchAll(/[MH]([\d.]+)/g)].map(([, x]) => Number(x))
    expect(Math.max(...numbers)).toBeCloseTo(120, 0)
    expect(numbers.some((x) => Math.abs(x - 108) < 2)).toBe(true)
  },
)

it('times are in the zone of the viewer, and in UTC for a mouse', async () => {
  const { page } = await open({ at: '#/cluster/beta/runs', context: { timezoneId: 'Asia/Tokyo' } })
  const install = page.getByRole('row').filter({ hasText: 'no route to db3' })
  await expect.poll(() => install.getByRole('time').innerText()).toContain('17:00:00')
  expect(await install.getByRole('time').getAttribute('title')).toBe('2026-03-10 08:00:00 UTC')
})

/** Floods a page, and works in it meanwhile; returns the milliseconds of the longest task. */
async function workUnderFlood(): Promise<number> {
  const cluster = largeCluster({ name: 'alpha' })
  const { page, standIn } = await open({
    play: { ...playOf('large'), snapshot: () => ({ kind: 'snapshot', time: start, clusters: [cluster] }) },
    at: '#/cluster/alpha',
  })
  await alphaTable(page).waitFor()
  await page.evaluate(`{
    window.longest = 0
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
    }).observe({ type: 'longtask' })
  }`)
  const begin = performance.now()
  let sent = 0
  let isDone = false
  const flood = (async () => {
    while (!isDone || sent < 10_000) {
      // time: the pace of the events.
      for (const due = ((performance.now() - begin) / 1000) * 5000; sent < due; sent += 1) {
        const datasource = dataSource({ name: `db${(sent % 199) + 2}`, appliedLatency: sent % 50 })
        standIn.send({ kind: 'datasource', time: atSecond(sent / 5000), cluster: 'alpha', datasource })
      }
      // time: the pace of the events.
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })()
  // A person goes on working meanwhile.
  const search = page.getByRole('searchbox', { name: 'Find a host' })
  await search.pressSequentially('db199')
  const hosts = page.getByRole('table', { name: /^Hosts/ })
  await expect.poll(() => hosts.getByRole('row').count()).toBe(2)
  isDone = true
  await flood
  standIn.send(failedEvent('db200', 100))
  await expect.poll(() => rowOf(page, 'db200').innerText()).toContain('FAILED')
  await page.getByRole('searchbox', { name: 'Find a data source' }).fill('db101')
  const last = sent - 1 - ((sent - 1 - 99) % 199)
  await expect.poll(() => rowOf(page, 'db101').innerText()).toContain(`${last % 50} s`)
  return Number(await page.evaluate('window.longest'))
}

it('5,000 events a second leave the page usable, and end in the last state of each thing', async () => {
  const longest = [await workUnderFlood()]
  // Again where the machine stood still: a page that cannot keep up has such a task each time.
  while (Math.min(...longest) >= 1000 && longest.length < 3) longest.push(await workUnderFlood())
  expect(Math.min(...longest)).toBeLessThan(1000)
})

it('a cluster that is removed, or one that comes, is seen without a reload', async () => {
  let clusters = [wellCluster('alpha'), troubledCluster('beta')]
  const play = withSnapshot(() => ({ kind: 'snapshot', time: start, clusters }))
  const { page, standIn } = await open({ play, at: '#/' })
  await page.getByRole('link', { name: 'beta' }).waitFor()
  clusters = [wellCluster('alpha'), wellCluster('gamma')]
  standIn.send(play.snapshot())
  await page.getByRole('link', { name: 'gamma' }).waitFor()
  expect(await page.getByRole('link', { name: 'beta' }).count()).toBe(0)
})
