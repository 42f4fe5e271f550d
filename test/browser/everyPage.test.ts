import { describe, expect, it } from 'vitest'
import { accessibilityViolations } from '../support/axe.ts'
import { dashboardTests } from './support/dashboardTests.ts'
import { reachView, views } from './support/views.ts'

const open = dashboardTests()

describe.each(views)('the page $name', (view) => {
  it.each(view.isLong ? [] : (['light', 'dark'] as const))(
    'is accessible to everybody in %s colours',
    async (colorScheme) => {
      const { page } = await open({ play: view.play, at: view.at, context: { colorScheme } })
      await reachView(page, view)
      expect(await accessibilityViolations(page)).toEqual([])
    },
  )

  it.each([320, 1280, 3840])('has nothing wider than a window of %i px', async (width) => {
    const { page } = await open({
      play: view.play,
      at: view.at,
      context: { viewport: { width, height: 900 } },
    })
    await reachView(page, view)
    const wider = page.evaluate(`[...document.querySelectorAll('body *')]
      .filter((it) => !it.closest('.unseen, .skip, .scrolls, thead, pre') && it.getBoundingClientRect().right > ${width} + 0.5)
      .map((it) => it.outerHTML.slice(0, 80))`)
    expect(await wider).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  })

  it('names itself in the title of the document', async () => {
    const { page } = await open({ play: view.play, at: view.at })
    await reachView(page, view)
    await expect.poll(() => page.title()).toMatch(/. · muster$/)
  })
})

it('the dashboard has dark colours where the viewer prefers them', async () => {
  const { page } = await open()
  const ground = (): Promise<unknown> =>
    page.evaluate('getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)[0]')
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await ground()).toBeGreaterThan(200)
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await ground()).toBeLessThan(60)
})

it('a printed cluster has its problems and tables, and nothing to press', async () => {
  const { page } = await open({ at: '#/cluster/beta' })
  await page.getByRole('table', { name: 'Hosts of beta' }).waitFor()
  await page.emulateMedia({ media: 'print' })
  await expect.poll(() => page.getByRole('button').allInnerTexts()).toEqual([])
  expect(await page.getByRole('navigation').isVisible()).toBe(false)
  expect(await page.getByText('replica db2 is 40 s behind').isVisible()).toBe(true)
  expect(await page.getByRole('table').count()).toBeGreaterThan(2)
  expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-')
})
