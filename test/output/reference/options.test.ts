import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { allOptions } from '../../../src/config/settings/options.ts'
import { allFile, allHost, allService } from '../../../src/config/settings/places.ts'
import { allSsh } from '../../../src/config/settings/ssh.ts'
import { optionsPage } from '../../../src/output/reference/options.ts'
import { loadText } from '../../config/loadText.ts'

const page = optionsPage()
const rows = page.split('\n').filter((line) => line.startsWith('| `'))

describe('the reference page', () => {
  it('is the committed one', async () => {
    const committed = fileURLToPath(new URL('../../../docs/options.md', import.meta.url))
    await expect(page).toMatchFileSnapshot(committed)
  })

  it('has a row for every setting, with all that is known of it', () => {
    for (const setting of [...allFile, ...allService, ...allHost, ...allSsh, ...allOptions]) {
      const own = rows.filter((row) => row.startsWith(`| \`${setting.name}\` `))
      const row = own.find((one) => one.includes(setting.documentation.replaceAll('|', '\\|')))
      expect(row, setting.name).toBeDefined()
      expect(row?.includes(setting.secret ? 'a [secret](#secrets)' : setting.type.wants)).toBe(true)
      for (const alias of setting.aliases) expect(row).toContain(`or \`${alias}\``)
    }
  })

  it('has whole rows: four cells each', () => {
    for (const row of rows.filter((one) => !one.startsWith('| `!'))) {
      expect(row.split(/(?<!\\)\|/).length, row).toBe(6)
    }
  })

  it('shows a file that validates', () => {
    const [, yaml = ''] = /```yaml\n(cluster: .*?)```/s.exec(page) ?? []
    expect(loadText(yaml).diagnostics).toEqual([])
  })
})
