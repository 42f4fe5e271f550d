import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openDashboard } from './dashboard.ts'
import { reachView, type View, views } from './views.ts'

const widths = [360, 1280, 2560] as const
const schemes = ['light', 'dark'] as const

type Shot = {
  readonly view: View
  readonly width: number
  readonly colorScheme: (typeof schemes)[number]
  readonly file: string
  /** True for what a window shows, without the rest of the page. */
  readonly isPart: boolean
}

async function take(browser: Browser, { view, width, colorScheme, file, isPart }: Shot): Promise<void> {
  const height = width === 360 ? 800 : Math.round((width * 10) / 16)
  const dashboard = await openDashboard(browser, {
    play: view.play,
    at: view.at,
    context: { viewport: { width, height }, colorScheme, reducedMotion: 'reduce' },
  })
  try {
    await reachView(dashboard.page, view)
    await dashboard.page.screenshot({ path: file, fullPage: !isPart })
  } finally {
    await dashboard.close()
  }
}

/** Pictures of the README, at 1280 px. */
const ofReadme = [
  { name: 'cluster', colorScheme: 'light' },
  { name: 'cluster-well', colorScheme: 'dark' },
] as const

/** Writes the two pictures of the README into a folder; returns their names. */
export async function takeReadmeScreenshots(browser: Browser, folder: string): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true })
  const shots = ofReadme.flatMap(({ name, colorScheme }) =>
    views
      .filter((view) => view.name === name)
      .map((view) => ({ view, width: 1280, colorScheme, name: `dashboard-${name}-${colorScheme}.png` })),
  )
  for (const { name, ...shot } of shots)
    await take(browser, { ...shot, file: join(folder, name), isPart: true })
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
        await take(browser, { view, width, colorScheme, file, isPart: view.isLong === true })
      }
    }
  }
}
