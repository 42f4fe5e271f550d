import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startBrowser } from '../support/browser.ts'
import { takeReadmeScreenshots } from './support/screenshots.ts'

const readme = readFileSync('README.md', 'utf8')
const shown = [...readme.matchAll(/!\[[^\]]{20,}\]\(docs\/images\/([\w-]+\.png)\)/g)].map(([, name]) => name)

it('the README shows the two pictures that npm run screenshots -- --readme makes, and docs/images has no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-screenshots-'))
  const browser = await startBrowser({ authorities: [] })
  onTestFinished(async () => {
    await browser.close()
    rmSync(folder, { recursive: true })
  })
  const made = await takeReadmeScreenshots(browser, folder)
  expect(made).toHaveLength(2)
  expect(shown.toSorted()).toEqual(made.toSorted())
  expect(readdirSync('docs/images').toSorted()).toEqual(made.toSorted())
  for (const name of made) {
    for (const file of [join(folder, name), join('docs/images', name)]) {
      expect(statSync(file).size, file).toBeLessThanOrEqual(150_000)
      // Width and height stand in the first chunk of a PNG (its specification, section 11.2.2).
      const head = readFileSync(file)
      expect(head.toString('latin1', 1, 4)).toBe('PNG')
      expect(head.readUInt32BE(16), file).toBe(1280)
    }
  }
})
