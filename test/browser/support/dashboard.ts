import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { playOf } from '../../dashboard/play.ts'
import { type Play, StandIn } from '../../dashboard/standIn.ts'
import { watchPage } from '../../support/browser.ts'

/** The dashboard in a browser, before a server that plays a cluster. */
export type Dashboard = {
  readonly page: Page
  readonly standIn: StandIn
  /** Address of the page, without a fragment. */
  readonly url: string
  /** Errors and warnings of the page, but for responses with an error status, which it shows itself. */
  readonly complaints: () => readonly string[]
  /** Requests that left the server of the page. */
  readonly requestsElsewhere: () => readonly string[]
  readonly close: () => Promise<void>
}

export type DashboardOptions = {
  /** Its name or itself; `all` unless told. */
  readonly play?: string | Play
  /** Fragment of the first address, such as `#/cluster/beta`. */
  readonly at?: string
  readonly context?: BrowserContextOptions
  /** Source that runs in the page before its own code. */
  readonly before?: string
}

/** Starts a stand-in and opens its page; resolves once the page has a heading. */
export async function openDashboard(
  browser: Browser,
  { play = 'all', at = '', context, before }: DashboardOptions = {},
): Promise<Dashboard> {
  const standIn = new StandIn(typeof play === 'string' ? playOf(play) : play)
  const url = await standIn.listen()
  const opened = await browser.newContext({ timezoneId: 'UTC', ...context })
  const page = await opened.newPage()
  const { requests, complaints } = watchPage(page)
  if (before !== undefined) await page.addInitScript(before)
  await page.goto(`${url}${at}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return {
    page,
    standIn,
    url,
    complaints: () => complaints.filter((text) => !text.startsWith('Failed to load resource')),
    requestsElsewhere: () => requests.filter((address) => !address.startsWith(url)),
    close: async () => {
      await opened.close()
      await standIn.close()
    },
  }
}
