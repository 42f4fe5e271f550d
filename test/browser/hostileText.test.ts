import { expect, it } from 'vitest'
import { dashboardTests } from './support/dashboardTests.ts'

const open = dashboardTests()
const name = '<img src=x onerror="document.title=1">\\u202e<b>db1</b>'

it('names with markup and characters that turn the writing direction are text on every page', async () => {
  const { page } = await open({ play: 'hostile', at: '#/' })
  await page.getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.getByRole('table').first().waitFor()
  for (const title of ['Users', 'Certificates', 'Runs']) {
    await page.getByRole('navigation').getByRole('link', { name: title }).click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    expect(await page.evaluate(harm)).toEqual([])
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  expect(await page.evaluate(harm)).toEqual([])
  await page
    .getByRole('table', { name: /^Hosts/ })
    .getByRole('link', { name })
    .click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  expect(await page.evaluate(harm)).toEqual([])
  expect(await page.title()).not.toBe('1')
})

/** Elements that only markup of a name can have made, and texts and attributes with characters that mislead. */
const harm = `(() => {
  const made = [...document.querySelectorAll('main img, main b, [onerror]')].map((it) => it.outerHTML)
  const misleading = /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069]/
  const texts = [...document.querySelectorAll('body *')].flatMap((it) => [
    ...[...it.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data),
    ...[...it.attributes].map(({ value }) => value),
  ])
  return [...made, ...texts.filter((text) => misleading.test(text)), ...[document.title].filter((text) => misleading.test(text))]
})()`
