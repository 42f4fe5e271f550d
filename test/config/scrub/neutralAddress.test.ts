import { describe, expect, it } from 'vitest'
import { canonicalAddress, impossibleAddress } from '../../../src/base/address.ts'
import { neutralAddress } from '../../../src/config/scrub/neutralAddress.ts'
import { pseudonyms } from '../../../src/config/scrub/pseudonyms.ts'

describe('an address for examples', () => {
  it('comes from the ranges of RFC 5737 and RFC 3849, the same for the same', () => {
    const names = pseudonyms()
    const of = (text: string) => neutralAddress(text, names)
    expect(['10.0.0.1', '10.0.0.2', '10.0.0.1', '2001:db8:1::5', 'fd00::1'].map(of)).toEqual([
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.1',
      '2001:db8::1',
      '2001:db8::2',
    ])
    expect(of('2001:0db8:1:0::5')).toBe('2001:db8::1')
    expect(of('::ffff:10.0.0.2')).toBe('192.0.2.2')
  })

  it.each([
    '127.0.0.1',
    '127.4.5.6',
    '::1',
    '0.0.0.0',
    '::',
    '10.0.0.0',
    '10.0.0.0/8',
    '255.255.255.255',
    '224.0.0.1',
  ])('is not needed for %s', (text) => {
    expect(neutralAddress(text, pseudonyms())).toBe(text)
  })

  it.each(['db1', '10.0.0', '10.0.0.300', '1.2.3.4.5', ''])('is none for %s', (text) => {
    expect(neutralAddress(text, pseudonyms())).toBeUndefined()
  })

  it('is another one for each of 70,000, always one that a host can have', () => {
    const names = pseudonyms()
    const fourth = Array.from(
      { length: 70_000 },
      (_, n) => neutralAddress(`10.${n >> 14}.${(n >> 7) & 127}.${(n & 127) + 1}`, names) ?? '',
    )
    const sixth = Array.from(
      { length: 70_000 },
      (_, n) => neutralAddress(`fd00:${(n >> 8).toString(16)}::${(n & 255).toString(16)}`, names) ?? '',
    )
    for (const list of [fourth, sixth]) {
      expect(new Set(list).size).toBe(70_000)
      expect(
        list.filter((text) => canonicalAddress(text) !== text || impossibleAddress(text) !== undefined),
      ).toEqual([])
    }
    expect(fourth[761]).toBe('203.0.113.254')
    expect(fourth[762]).toBe('198.18.0.1')
  })
})
