import { expect, it } from 'vitest'
import { scrubGap } from '../../../src/config/scrub/gap.ts'
import { pseudonyms } from '../../../src/config/scrub/pseudonyms.ts'

const scrub = (gap: string, before = ''): string => scrubGap(gap, () => before, pseudonyms())

it.each([
  ['  # a\n  - ', '  #\n  - '],
  [': { ', ': { '],
  ['  # muster-ignore: weak-password it is a lab\n', '  # muster-ignore: weak-password reason removed\n'],
  [
    '  # muster-ignore: weak-password, acme: Jane\n',
    '  # muster-ignore: weak-password, unknown-code reason removed\n',
  ],
  ['  # muster-ignore: weak-password\n', '  # muster-ignore: weak-password\n'],
  ['# muster-ignored: x\r\n', '#\r\n'],
  [': &acme !env ', ': &anchor1 !env '],
  [': !acme ', ': !tag1 '],
  [': !!str !<tag:yaml.org,2002:int> !<acme> ', ': !!str !<tag:yaml.org,2002:int> !<tag1> '],
  ['%YAML 1.2\n---\n', '%YAML 1.2\n---\n'],
  ['%TAG !a! tag:acme.example,2000:\n', '%word1 !word2! word3:word4.word5,1:\n'],
  ['# a\u2028b\rc', '#'],
])('%j becomes %j', (gap, expected) => {
  expect(scrub(gap)).toBe(expected)
})

it('removes a comment behind a value with the spaces before it', () => {
  expect(scrub('  # a\nb: # c\n', 'a: 1')).toBe('\nword1:\n')
  expect(scrub(' # muster-ignore: unused-host x', 'a: 1')).toBe(
    ' # muster-ignore: unused-host reason removed',
  )
})

it('gives the same name to the same anchor', () => {
  expect(scrub('&a *b &a')).toBe('&anchor1 *anchor2 &anchor1')
})
