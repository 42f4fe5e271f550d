import { describe, expect, it } from 'vitest'
import {
  canonicalAddress,
  impossibleAddress,
  isHostName,
  isLoopback,
  overlaps,
} from '../../src/config/address.ts'

describe('addresses', () => {
  it.each([
    ['10.0.0.11', '10.0.0.11'],
    ['2001:0db8:0:0::4', '2001:db8::4'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['::', '::'],
    ['10.0.0.011', undefined],
    ['10.0.0', undefined],
    ['1', undefined],
    ['fe80::1%eth0', undefined],
    ['[::1]', undefined],
    ['db1', undefined],
  ])('has %s as %s', (text, canonical) => {
    expect(canonicalAddress(text)).toBe(canonical)
  })

  it.each([
    ['10.0.0.0', 'a network address'],
    ['0.1.2.3', 'a network address'],
    ['10.0.0.0/8', 'a whole network'],
    ['2001:db8::/32', 'a whole network'],
    ['255.255.255.255', 'the broadcast address'],
    ['224.0.0.1', 'a multicast address'],
    ['0.0.0.0', undefined],
    ['10.0.0.1', undefined],
    ['db1', undefined],
  ])('says of %s: %s', (text, kind) => {
    expect(impossibleAddress(text)).toBe(kind)
  })

  it.each([
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['0.0.0.0', '127.0.0.1', true],
    ['::1', '0.0.0.0', false],
    ['::', '127.0.0.1', true],
    ['::', '::1', true],
  ])('lets %s and %s overlap: %s', (a, b, expected) => {
    expect(overlaps(a, b)).toBe(expected)
    expect(overlaps(b, a)).toBe(expected)
  })

  it('knows loopback and host names', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', '10.0.0.1', '::'].map(isLoopback)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
    expect(
      ['db1', 'a.b.example', 'A-1', '1.2.3', '-a', 'a_b', 'a..b', 'a'.repeat(64)].map(isHostName),
    ).toEqual([true, true, true, false, false, false, false, false])
  })
})
