import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Returns what axe-core finds wrong with a page as it is shown now, a line for each element: `rule: what: element`.
 * Its source is evaluated by the browser's own devtools, beyond the page's policy, which stays as it is.
 */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe.source};undefined`)
  const { violations, passes } = await page.evaluate<AxeResults>('axe.run()')
  if (passes.length === 0) throw new Error(`axe-core checked nothing on ${page.url()}`)
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`))
}
