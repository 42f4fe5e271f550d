import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startBrowser } from '../../support/browser.ts'
import { type Dashboard, type DashboardOptions, openDashboard } from './dashboard.ts'

/**
 * Gives the tests of a file a browser, and returns what opens the dashboard in it. After each test it holds that no
 * page breached its policy, left an error uncaught or asked another server for anything.
 */
export function dashboardTests(): (options?: DashboardOptions) => Promise<Dashboard> {
  let browser: Browser
  const opened: Dashboard[] = []
  beforeAll(async () => {
    browser = await startBrowser({ authorities: [] })
  })
  afterEach(async () => {
    const dashboards = opened.splice(0)
    await Promise.all(dashboards.map((it) => it.close()))
    for (const it of dashboards) {
      expect(it.complaints()).toEqual([])
      expect(it.requestsElsewhere()).toEqual([])
    }
  })
  afterAll(() => browser?.close())
  return async (options) => {
    const dashboard = await openDashboard(browser, options)
    opened.push(dashboard)
    return dashboard
  }
}
