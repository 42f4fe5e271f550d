import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityViolations } from '../support/axe.ts'
import { startBrowser, watchPage } from '../support/browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser({ authorities: [] })
})
afterAll(() => browser?.close())

it('finds a picture without a name, grey text on grey and a button without words, so that other tests can fail', async () => {
  const page = await browser.newPage()
  await page.setContent(`<!doctype html><html lang="en"><title>Faults</title><main><h1>Faults</h1>
    <img src="data:,"><p style="color: #777; background: #888">grey</p><button></button></main>`)
  const rules = (await accessibilityViolations(page)).map((line) => line.replace(/:.*/s, ''))
  expect(rules.toSorted()).toEqual(['button-name', 'color-contrast', 'image-alt'])
})

it('records requests, uncaught errors and what a policy refuses', async () => {
  const page = await browser.newPage()
  const record = watchPage(page)
  const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'sha256-none'">`
  await page.goto(`data:text/html,${encodeURIComponent(`${policy}<script>1</script>`)}`)
  await expect.poll(() => record.complaints.join()).toContain('Content Security Policy')
  await page.evaluate("setTimeout(() => { throw new Error('nobody catches this') })")
  await expect.poll(() => record.complaints.join()).toContain('nobody catches this')
  await page.evaluate("new Image().src = 'https://elsewhere.example.test/x.png'")
  await expect.poll(() => record.requests).toContain('https://elsewhere.example.test/x.png')
})
