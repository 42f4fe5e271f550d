import { startBrowser } from '../support/browser.ts'
import { takeReadmeScreenshots, takeScreenshots } from './support/screenshots.ts'

/** `npm run screenshots` makes pictures of all views, with names of those alone; `-- --readme` makes the README's. */
const words = process.argv.slice(2)
const forReadme = words.includes('--readme')
const folder = forReadme ? 'docs/images' : 'node_modules/.cache/muster/screenshots'
const browser = await startBrowser({ authorities: [] })
try {
  if (forReadme) await takeReadmeScreenshots(browser, folder)
  else await takeScreenshots(browser, { folder, wanted: words })
} finally {
  await browser.close()
}
process.stdout.write(`${folder}\n`)
