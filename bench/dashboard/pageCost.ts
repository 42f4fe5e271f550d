import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import type { DashboardEvent } from '../../src/contracts/dashboard.ts'
import { openDashboard } from '../../test/browser/support/dashboard.ts'
import { atSecond, dataSource, host, largeCluster, problem, start } from '../../test/dashboard/pictures.ts'
import { playOf } from '../../test/dashboard/play.ts'
import { timeOnCore, workOfPage } from './renderer.ts'

/** Milliseconds of the measurement in which nothing changes. */
const span = 20_000
const changes = 20

const large = largeCluster({ name: 'large', hosts: 200 })
const play = {
  ...playOf('large'),
  snapshot: (): DashboardEvent => ({ kind: 'snapshot', time: start, clusters: [large] }),
}

/** Kinds of a change, each with text that a page shows once it is there. */
const kinds: Readonly<Record<string, (turn: number) => { event: DashboardEvent; text: string }>> = {
  lag: (turn) => ({
    event: {
      kind: 'datasource',
      time: atSecond(turn),
      cluster: 'large',
      datasource: dataSource({ name: 'db10', appliedLatency: 1000 + turn }),
    },
    text: `${1000 + turn} s`,
  }),
  failure: (turn) => ({
    event: {
      kind: 'datasource',
      time: atSecond(turn),
      cluster: 'large',
      datasource: dataSource({
        name: 'db11',
        state: turn % 2 ? 'FAILED' : 'ONLINE',
        reason: `check ${turn} told`,
      }),
    },
    text: `check ${turn} told`,
  }),
  host: (turn) => ({
    event: {
      kind: 'host',
      time: atSecond(turn),
      cluster: 'large',
      host: host({ name: 'db12', state: turn % 2 ? 'unreachable' : 'up', detail: `answer ${turn}` }),
    },
    text: `answer ${turn}`,
  }),
  verdict: (turn) => ({
    event: {
      kind: 'verdict',
      time: atSecond(turn),
      cluster: 'large',
      verdict: {
        level: 'degraded',
        problems: [problem({ text: `problem ${turn} of db13`, host: 'db13' })],
      },
    },
    text: `problem ${turn} of db13`,
  }),
}

/** Resolves once a text is in the page and was painted. */
const painted = (page: Page, text: string): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const look = () => {
      if (!document.body.textContent.includes(${JSON.stringify(text)})) return
      observer.disconnect()
      requestAnimationFrame(() => setTimeout(resolve))
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    look()
  })`)

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Measures a page of 200 hosts: the core that it takes while nothing changes, and the work of one change. */
export async function pageCost(browser: Browser): Promise<unknown> {
  const { page, standIn, close } = await openDashboard(browser, { play, at: '#/cluster/large' })
  try {
    await page.getByRole('table', { name: 'Hosts of large' }).waitFor()
    const work = await workOfPage(page)
    await delay(2000)
    const before = await timeOnCore(browser)
    await delay(span)
    const idle = (await timeOnCore(browser)) - before

    const ofChange: Record<string, unknown> = {}
    for (const [name, change] of Object.entries(kinds)) {
      const costs: number[] = []
      for (let turn = 1; turn <= changes; turn += 1) {
        const { event, text } = change(turn)
        const begin = await work()
        const shown = painted(page, text)
        standIn.send(event)
        await shown
        costs.push((await work()) - begin)
        await delay(150)
      }
      ofChange[name] = {
        milliseconds: Number(middle(costs).toFixed(1)),
        most: Number(Math.max(...costs).toFixed(1)),
        limit: 50,
      }
    }
    return {
      idle: { percentOfCore: Number(((idle / span) * 100).toFixed(2)), limit: 2, seconds: span / 1000 },
      workOfChange: ofChange,
    }
  } finally {
    await close()
  }
}
