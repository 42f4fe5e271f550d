import type { Browser } from 'playwright-core'
import page from '../../src/web/page.json' with { type: 'json' }
import { startBrowser } from '../../test/support/browser.ts'
import { firstView } from './firstView.ts'
import { pageCost } from './pageCost.ts'
import { verdictDelay } from './verdictDelay.ts'
import { viewersCost } from './viewers.ts'

/** Kilobytes (1,000 bytes) of all files of the page as they go over the wire. */
async function size(): Promise<unknown> {
  const sum = (encoding: 'gzip' | 'brotli'): number =>
    Object.values(page).reduce((bytes, file) => bytes + Buffer.from(file[encoding], 'base64').length, 0)
  const kilobytes = (bytes: number): number => Number((bytes / 1000).toFixed(1))
  return { gzip: kilobytes(sum('gzip')), brotli: kilobytes(sum('brotli')), limit: 40 }
}

/** Measurements by name. */
const parts: Readonly<Record<string, (browser: Browser) => Promise<unknown>>> = {
  size,
  firstView,
  page: pageCost,
  viewers: viewersCost,
  verdict: verdictDelay,
}

/** Measures what `wanted` names, all unless told. */
export async function benchDashboard(wanted: readonly string[]): Promise<unknown> {
  const results: Record<string, unknown> = {}
  for (const [name, measure] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    // A new browser for each: what one leaves in its caches is not the next one's.
    const browser = await startBrowser({ authorities: [] })
    try {
      results[name] = await measure(browser)
    } finally {
      await browser.close()
    }
  }
  return results
}
