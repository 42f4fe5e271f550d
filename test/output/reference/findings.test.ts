import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../../src/diagnostics/catalogue.ts'
import { findingsIndex } from '../../../src/output/reference/findings.ts'

const page = fileURLToPath(new URL('../../../docs/findings.md', import.meta.url))

describe('the index of the findings', () => {
  // Red after a change of a title or a severity: the line in the page says how to make it again.
  it('is what docs/findings.md holds below its introduction', async () => {
    const [introduction] = /^.*<!-- Generated from here on.*? -->\n\n/s.exec(readFileSync(page, 'utf8')) ?? []
    await expect(`${introduction}${findingsIndex()}`).toMatchFileSnapshot(page)
  })

  it('has a link for each code, which leads to its page', () => {
    const links = [...findingsIndex().matchAll(/^- \[(.*?)\]\((.*?)\) \(.*?\): /gm)]
    expect(links.map(([, code]) => code)).toEqual(Object.keys(catalogue))
    expect(links.filter(([, , path = '']) => !existsSync(new URL(path, `file://${page}`)))).toEqual([])
    expect(links.filter(([, code, path]) => path !== `findings/${code}.md`)).toEqual([])
  })
})
