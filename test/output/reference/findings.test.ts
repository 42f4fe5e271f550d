import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../../src/diagnostics/catalogue.ts'
import { findingsPage } from '../../../src/output/reference/findings.ts'

const page = fileURLToPath(new URL('../../../docs/findings.md', import.meta.url))

describe('the page of the findings', () => {
  // Red after a change of an explanation: the head of the page tells how to make it again. Read what comes out.
  it('is what docs/findings.md holds; its head tells how to make it again', async () => {
    await expect(findingsPage()).toMatchFileSnapshot(page)
  })

  it('has one heading for each code, and a link to it', () => {
    const text = findingsPage()
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    const links = [...text.matchAll(/^- \[(.*?)\]\(#(.*?)\): /gm)]
    expect(headings.toSorted()).toEqual(Object.keys(catalogue).toSorted())
    expect(links.map(([, code]) => code)).toEqual(headings)
    expect(links.filter(([, code, anchor]) => code !== anchor)).toEqual([])
  })

  it('opens no block of code that it does not close', () => {
    const fences = [...findingsPage().matchAll(/^```(\w*)$/gm)].map(([, language]) => language)
    expect(fences.length % 2).toBe(0)
    fences.forEach((language, index) => {
      expect(language === '').toBe(index % 2 === 1)
    })
  })
})
