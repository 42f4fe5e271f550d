import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apiDefaults, type Outline } from '../../../src/config/outline.ts'
import { outlineText } from '../../../src/output/config/outlineText.ts'
import { loadText } from '../../config/loadText.ts'

const outline = (comment: string, value = '/opt/muster'): Outline => ({
  head: [comment],
  cluster: 'alpha',
  defaults: [...apiDefaults, { comments: [comment], name: 'install-directory', value }],
  ssh: [{ comments: [comment] }],
  services: [
    {
      name: 'alpha',
      lines: [
        { comments: [comment], name: 'topology', value: 'clustered' },
        { name: 'members', value: ['db1'] },
      ],
    },
  ],
  hosts: [
    {
      name: 'db1',
      comments: [comment],
      lines: [{ name: 'address', value: '10.0.0.11' }],
      ssh: [],
      options: [],
    },
  ],
  tail: [comment],
})

const strangers = fc.array(
  fc.oneof(
    fc.constantFrom(
      '\n',
      '\r',
      '\u2028',
      '\u0085',
      ' ',
      '# ',
      'muster-ignore: unused-host no',
      'MUSTER-IGNORE x',
    ),
    fc.constantFrom(
      'yaml-language-server: $schema=https://evil.example.org',
      '\u001b[2J',
      'a: !exec [id]',
      "'",
      '"',
    ),
    fc.string({ unit: 'binary' }),
  ),
  { maxLength: 12 },
)

describe('a configuration as text', () => {
  it('keeps a comment of a stranger a comment, whatever it says', () => {
    fc.assert(
      fc.property(strangers, (parts) => {
        const text = outlineText(outline(parts.join('')))
        const { config, diagnostics, ignores } = loadText(text)
        expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
        expect([config?.hosts.map(({ name }) => name), ignores]).toEqual([['db1'], []])
        expect(text).not.toMatch(/yaml-language-server/i)
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      }),
      { numRuns: 150 },
    )
  })

  it('keeps a value what it is, whatever its characters', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('!exec [id]', 'yes', '1e5', '~', '- a', '# b', "it's")),
        (value) => {
          const { cluster } = loadText(outlineText(outline('x', value)))
          const given = cluster?.draft.defaults.get('install-directory')
          if (given?.value !== undefined) expect(given.value).toBe(value)
          expect(
            loadText(outlineText(outline('x', value))).diagnostics.map(({ code }) => code),
          ).not.toContain('unknown-tag')
        },
      ),
      { numRuns: 150 },
    )
  })
})
