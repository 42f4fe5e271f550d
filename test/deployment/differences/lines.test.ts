import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineDifference } from '../../../src/deployment/differences/lines.ts'

const text = (...lines: readonly string[]) => `${lines.join('\n')}\n`

describe('the difference of two texts', () => {
  it('is the lines that go and come, in their order', () => {
    const before = text('[Unit]', 'Description=old', '[Service]', 'Restart=no', 'User=muster')
    const after = text('[Unit]', 'Description=new', '[Service]', 'User=muster', 'RestartSec=2')
    expect(lineDifference(before, after)).toEqual([
      '- Description=old',
      '+ Description=new',
      '- Restart=no',
      '+ RestartSec=2',
    ])
    expect(lineDifference(before, before)).toEqual([])
    expect(lineDifference('', text('a'))).toEqual(['- ', '+ a'])
  })

  it('makes the one text of the other, and says no more than is needed', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 7 })
    fc.assert(
      fc.property(lines, lines, (was, is) => {
        const said = lineDifference(text(...was), text(...is))
        const gone = said.filter((line) => line.startsWith('-')).map((line) => line.slice(2))
        const come = said.filter((line) => line.startsWith('+')).map((line) => line.slice(2))
        const count = (words: readonly string[], word: string) => words.filter((one) => one === word).length
        for (const word of ['a', 'b', 'c']) {
          expect(count(was, word) - count(gone, word) + count(come, word)).toBe(count(is, word))
        }
        expect(was.length - gone.length).toBe(longestCommon(was, is))
        expect(lineDifference(text(...is), text(...was))).toHaveLength(said.length)
      }),
    )
  })

  it('hides what somebody may have kept secret in the text of a host', () => {
    const before = text(
      'Environment=TOKEN=abc "OTHER=d e f"',
      'ExecStartPre=/bin/login --password=hunter2',
      '# the passphrase is hunter2',
      'SetCredential=a:b',
      'Environment=A=1 \\',
      '  B=2',
      'User=ops',
    )
    expect(lineDifference(before, text('User=muster'))).toEqual([
      '- Environment=[redacted]',
      '- ExecStartPre=[redacted]',
      '- [redacted]',
      '- SetCredential=[redacted]',
      '- Environment=[redacted]',
      '- [redacted]',
      '- User=ops',
      '+ User=muster',
    ])
  })

  it('shows twenty lines at most, none of them long, and nothing that moves a cursor', () => {
    const many = text(...Array.from({ length: 30 }, (_, index) => `line ${index}`))
    const said = lineDifference(text('line 0'), many)
    expect(said).toHaveLength(21)
    expect(said.at(-1)).toBe('and 9 more lines')
    expect(lineDifference(text('a'), text('b'.repeat(500)))[1]).toHaveLength(160)
    expect(lineDifference(text('a\u001b[2J'), text('b'))).toEqual(['- a\ufffd[2J', '+ b'])
    expect(lineDifference(many.repeat(40), many)).toEqual([])
  })
})

/** The plain definition, to compare with. */
function longestCommon(one: readonly string[], other: readonly string[]): number {
  const [first, ...rest] = one
  if (first === undefined) return 0
  const at = other.indexOf(first)
  const without = longestCommon(rest, other)
  return at === -1 ? without : Math.max(without, 1 + longestCommon(rest, other.slice(at + 1)))
}
