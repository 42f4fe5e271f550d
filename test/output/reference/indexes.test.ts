import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { allHooks } from '../../../src/config/settings/hooks.ts'
import { allOptions } from '../../../src/config/settings/options.ts'
import { allFile, allHost, allService } from '../../../src/config/settings/places.ts'
import { pageName } from '../../../src/config/settings/setting.ts'
import { allSsh } from '../../../src/config/settings/ssh.ts'
import { severities } from '../../../src/diagnostics/codes.ts'
import { findingsIndex, optionsIndex } from '../../../src/output/reference/indexes.ts'
import { loadText } from '../../config/loadText.ts'

const docs = fileURLToPath(new URL('../../../docs', import.meta.url))
const page = readFileSync(`${docs}/options.md`, 'utf8')
const rows = optionsIndex()
  .split('\n')
  .filter((line) => /^\| \[?`/.test(line))
const all = [...allFile, ...allService, ...allHost, ...allSsh, ...allHooks, ...allOptions]

describe('the index of the settings', () => {
  // Red after a change of a setting or a title: the line in the page says how to make it again.
  it('is the list in docs/options.md', async () => {
    const [introduction] = /^.*<!-- Generated from here on.*? -->\n\n/s.exec(page) ?? []
    await expect(`${introduction}${optionsIndex()}`).toMatchFileSnapshot(`${docs}/options.md`)
  })

  it('has a page in docs/options for every setting, and none without a setting', () => {
    expect(readdirSync(`${docs}/options`).toSorted()).toEqual(
      all.map((setting) => `${pageName(setting)}.md`).toSorted(),
    )
  })

  it('has a row for every setting, with its facts and a link to its page', () => {
    for (const setting of all) {
      const own = rows.filter((row) =>
        row.startsWith(`| [\`${setting.name}\`](options/${pageName(setting)}.md) `),
      )
      expect(own, setting.name).toHaveLength(1)
      const [row] = own
      expect(row).toContain(`${setting.title.replaceAll('|', '\\|')}.`)
      expect(setting.documentation.startsWith(`${setting.title}.`)).toBe(true)
      expect(row?.includes(setting.secret ? 'a [secret](#secrets)' : setting.type.wants)).toBe(true)
      for (const alias of setting.aliases) expect(row).toContain(`or \`${alias}\``)
    }
  })

  it('has four cells in each row', () => {
    for (const row of rows) {
      expect(row.split(/(?<!\\)\|/).length, row).toBe(6)
    }
  })

  it('shows a valid file', () => {
    const [, yaml = ''] = /```yaml\n(cluster: .*?)```/s.exec(page) ?? []
    expect(loadText(yaml).diagnostics).toEqual([])
  })
})

describe('the index of the findings', () => {
  const page = fileURLToPath(new URL('../../../docs/findings.md', import.meta.url))

  // Red after a change of a title or a severity: the line in the page says how to make it again.
  it('is the list in docs/findings.md', async () => {
    const [introduction] = /^.*<!-- Generated from here on.*? -->\n\n/s.exec(readFileSync(page, 'utf8')) ?? []
    await expect(`${introduction}${findingsIndex()}`).toMatchFileSnapshot(page)
  })

  it('links each code to its page', () => {
    const links = [...findingsIndex().matchAll(/^- \[(.*?)\]\((.*?)\) \(.*?\): /gm)]
    expect(links.map(([, code]) => code)).toEqual(Object.keys(severities))
    expect(links.filter(([, , path = '']) => !existsSync(new URL(path, `file://${page}`)))).toEqual([])
    expect(links.filter(([, code, path]) => path !== `findings/${code}.md`)).toEqual([])
  })
})
