import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openDashboard } from './dashboard.ts'
import { reachView, type View, views } from './views.ts'

const widths = [360, 1280, 2560] as const
const schemes = ['light', 'dark'] as const

type Shot = {
  readonly view: View
  readonly width: number
  readonly colorScheme: (typeof schemes)[number]
  readonly file: string
  /** Height of the window; null for that of the page. */
  readonly height: number | null
}

async function take(browser: Browser, { view, width, colorScheme, file, height }: Shot): Promise<void> {
  const viewport = { width, height: height ?? (width === 360 ? 800 : Math.round((width * 10) / 16)) }
  const dashboard = await openDashboard(browser, {
    play: view.play,
    at: view.at,
    context: { viewport, colorScheme, reducedMotion: 'reduce' },
  })
  try {
    await reachView(dashboard.page, view)
    if (height === null) await showAll(dashboard.page)
    await dashboard.page.screenshot({ path: file })
  } finally {
    await dashboard.close()
  }
}

/** Makes the window as high as the page: what is far below it would not be drawn. */
async function showAll(page: Page): Promise<void> {
  const width = page.viewportSize()?.width ?? 0
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  await page.setViewportSize({ width, height })
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

/** Pictures of the README, at 1280 px. */
const ofReadme = [
  { name: 'cluster', colorScheme: 'light', height: 940 },
  { name: 'switch', colorScheme: 'dark', height: 600 },
] as const

/** Writes the two pictures of the README into a folder; returns their names. */
export async function takeReadmeScreenshots(browser: Browser, folder: string): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true })
  const shots = ofReadme.flatMap(({ name, colorScheme, height }) =>
    views
      .filter((view) => view.name === name)
      .map((view) => ({
        view,
        width: 1280,
        height,
        colorScheme,
        name: `dashboard-${name}-${colorScheme}.png`,
      })),
  )
  for (const { name, ...shot } of shots) await take(browser, { ...shot, file: join(folder, name) })
  return shots.map(({ name }) => name)
}

/** Writes views as `NAME-WIDTH-SCHEME.png` into a folder: those whose names are wanted, all for none. */
export async function takeScreenshots(
  browser: Browser,
  { folder, wanted }: { readonly folder: string; readonly wanted: readonly string[] },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const view of views.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    for (const width of widths) {
      for (const colorScheme of schemes) {
        const file = join(folder, `${view.name}-${width}-${colorScheme}.png`)
        await take(browser, { view, width, colorScheme, file, height: view.isLong ? 1600 : null })
      }
    }
  }
}
