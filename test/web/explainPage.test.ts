import { describe, expect, it } from 'vitest'
import { reasonCodes } from '../../src/contracts/routing.ts'
import { explanationOf } from '../../src/diagnostics/explanation.ts'
import { explainPage } from '../../src/web/explainPage.ts'

describe('a page of the dashboard about a code', () => {
  it.each(reasonCodes)('says of %s what muster explain says', (code) => {
    const { title, about, commands } = explanationOf(code)
    expect(explainPage(code)).toEqual({
      ...{ code, title },
      blocks: [
        ...about.map((text) => ({ kind: 'text', text })),
        ...(commands === undefined ? [] : [{ kind: 'code', text: commands }]),
      ],
    })
  })

  it('is there for no word that is not a code of the picture', () => {
    for (const word of ['constructor', 'unknown-option', '../state', ''])
      expect(explainPage(word), word).toBeUndefined()
  })
})
