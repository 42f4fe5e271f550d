import { describe, expect, it } from 'vitest'
import { scrubComment, scrubGap } from '../../../src/config/scrub/gap.ts'
import { placeholders } from '../../../src/config/scrub/placeholders.ts'

describe('scrubbing outside of values', () => {
  it.each([
    [': { ', ': { '],
    [': &acme !env ', ': &anchor1 !env '],
    [': !acme ', ': !tag1 '],
    [': !!str !<tag:yaml.org,2002:int> !<acme> ', ': !!str !<tag:yaml.org,2002:int> !tag1 '],
    ['%YAML 1.2\n---\n', '%YAML 1.2\n---\n'],
    ['%TAG !a! tag:acme.example,2000:\n', '#\n'],
    [' acme$%\r\n- ', ' \r\n- '],
  ])('writes %j as %j', (gap, expected) => {
    expect(scrubGap(gap, placeholders())).toBe(expected)
  })

  it('gives an anchor and its aliases the same name', () => {
    expect(scrubGap('&a *b &a', placeholders())).toBe('&anchor1 *anchor2 &anchor1')
  })

  it.each([
    ['# muster-ignore: weak-password it is a lab', '# muster-ignore: weak-password reason removed'],
    [
      '# muster-ignore: weak-password, acme: Jane',
      '# muster-ignore: weak-password, unknown-code reason removed',
    ],
    ['# muster-ignore: weak-password', '# muster-ignore: weak-password'],
    ['# muster-ignored: x', '#'],
    ['# a\u2028b\rc', '#'],
  ])('writes the comment %j as %j', (comment, expected) => {
    expect(scrubComment(comment)).toBe(expected)
  })
})
