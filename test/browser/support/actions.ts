import type { Page } from 'playwright-core'

/** Opens the actions of something, and chooses one of them. */
export async function chooseAction(
  page: Page,
  { of, action }: { readonly of: string; readonly action: RegExp },
): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${of}` }).click()
  await page.getByRole('dialog').getByRole('radio', { name: action }).check()
}
