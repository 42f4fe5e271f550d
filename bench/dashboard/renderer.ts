import type { Browser, CDPSession, Page } from 'playwright-core'

/** Milliseconds of a core that a browser needed so far, but for the process that steers it. */
export async function timeOnCore(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession()
  try {
    const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
    const pages = processInfo.filter(({ type }) => type !== 'browser')
    return pages.reduce((sum, { cpuTime }) => sum + cpuTime, 0) * 1000
  } finally {
    await devtools.detach()
  }
}

/**
 * Returns what reads the milliseconds that the main thread of a page was on a core so far: scripts, style, layout and
 * what paints. What else the machine does is not counted.
 */
export async function workOfPage(page: Page): Promise<() => Promise<number>> {
  const devtools: CDPSession = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    const task = metrics.find(({ name }) => name === 'TaskDuration')
    if (task === undefined) throw new Error('the browser does not tell how long its tasks took')
    return task.value * 1000
  }
}
