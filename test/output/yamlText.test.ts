import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { yamlText } from '../../src/output/yamlText.ts'

it('yamlText writes blocks for people', () => {
  expect(
    yamlText({
      cluster: 'alpha',
      hosts: [{ host: 'db1', components: [] }, { host: '10' }],
      verdict: { level: 'ok' },
    }),
  ).toBe(`cluster: alpha
hosts:
  - host: db1
    components: []
  - host: '10'
verdict:
  level: ok
`)
})

it('yamlText writes what a YAML reader reads back as the same value', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.stringMatching(/^[a-z][A-Za-z -]{0,8}$/), tie('any'), { maxKeys: 3 }),
    ),
  })).any
  fc.assert(
    fc.property(value, (any) => {
      expect(parse(yamlText(any))).toEqual(JSON.parse(JSON.stringify(any)))
    }),
  )
})
