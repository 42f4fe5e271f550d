import { isIP } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  addressAndPort,
  addressBytes,
  addressText,
  canonicalAddress,
  connectableAddress,
  impossibleAddress,
  isAddress,
  isHostName,
  isLoopback,
  isWildcard,
  overlaps,
} from '../../src/base/address.ts'

const texts = [
  ...['10.0.0.11', '0.0.0.0', '255.255.255.255', '256.1.1.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4 '],
  ...['::', '::1', '1::', 'fd00::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', '1::2::3', '1:2:3:4:5:6:7', ':::'],
  ...['12345::', 'g::1', ':1', '1:', '1:2:3:4:5:6:7:8:9', '1.2.3.4::', 'fe80::1%eth0', 'db1', '', '[::1]'],
]

describe('an IP address', () => {
  it.each(texts)('%j is accepted if Node.js accepts it', (text) => {
    expect(isAddress(text)).toBe(isIP(text) !== 0)
  })

  it('has the same bytes in every notation', () => {
    expect(addressBytes('10.0.0.11')).toEqual(Buffer.from([10, 0, 0, 11]))
    expect(addressBytes('::ffff:1.2.3.4')).toEqual(Buffer.from([1, 2, 3, 4]))
    expect(addressBytes('FD00::1')).toEqual(addressBytes('fd00:0:0:0:0:0:0:1'))
    expect(addressBytes('fe80::1%eth0')).toEqual(addressBytes('fe80::1'))
    expect(addressBytes('fe80::1')).toHaveLength(16)
    expect(addressText(Buffer.from('00000000000000000000ffff0a000001', 'hex'))).toBe('10.0.0.1')
  })

  it.each([
    ['10.0.0.11', '10.0.0.11'],
    ['2001:0db8:0:0::4', '2001:db8::4'],
    ['2001:db8:0:0:0:0:0:5', '2001:db8::5'],
    ['2001:DB8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['::ffff:a00:1', '10.0.0.1'],
    ['64:ff9b::10.0.0.1', '64:ff9b::a00:1'],
    ['::', '::'],
    ['10.0.0.011', undefined],
    ['10.0.0', undefined],
    ['1', undefined],
    ['fe80::1%eth0', undefined],
    ['[::1]', undefined],
    ['db1', undefined],
  ])('%s has the canonical form %s', (text, canonical) => {
    expect(canonicalAddress(text)).toBe(canonical)
  })

  it('has the canonical form of the URL parser', () => {
    for (let pattern = 0; pattern < 256; pattern += 1) {
      const groups = Array.from({ length: 8 }, (_, index) => ((pattern >> index) & 1 ? 'a0' : '0'))
      const bytes = Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
      expect(addressText(bytes)).toBe(new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1))
    }
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
  ])('%s is impossible for a host: %s', (text, kind) => {
    expect(impossibleAddress(text)).toBe(kind)
  })

  it('is loopback only in 127.0.0.0/8 and as ::1, in every notation', () => {
    const loopback = ['127.0.0.1', '127.9.9.9', '::1', '0:0::1', '::ffff:127.0.0.1']
    expect(loopback.map(isLoopback)).toEqual(loopback.map(() => true))
    const others = ['10.0.0.1', '::', '0.0.0.0', '::2', '127.example', 'localhost', '']
    expect(others.map(isLoopback)).toEqual(others.map(() => false))
  })

  it('is a wildcard only as 0.0.0.0 and ::, in every notation', () => {
    expect(['0.0.0.0', '::', '0:0:0:0:0:0:0:0'].map(isWildcard)).toEqual([true, true, true])
    expect(['127.0.0.1', '::1', 'db1'].map(isWildcard)).toEqual([false, false, false])
  })

  it('is in brackets before a port if it has colons', () => {
    expect(addressAndPort('10.0.0.11', 8090)).toBe('10.0.0.11:8090')
    expect(addressAndPort('2001:db8::1', 8090)).toBe('[2001:db8::1]:8090')
    expect(addressAndPort('db1', '-')).toBe('db1:-')
  })
})

describe('the overlap of two listeners on one port', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['0.0.0.0', '127.0.0.1', true],
    ['0.0.0.0', '::ffff:127.0.0.1', true],
    ['::1', '0.0.0.0', false],
    ['2001:db8::5', '0.0.0.0', false],
    ['2001:db8::5', '2001:db8:0:0:0:0:0:5', true],
    ['2001:db8::5', '2001:db8::6', false],
    ['::', '127.0.0.1', true],
    ['::', '0.0.0.0', true],
    ['::', '::1', true],
  ])('of %s and %s is %s', (a, b, expected) => {
    expect(overlaps(a, b)).toBe(expected)
    expect(overlaps(b, a)).toBe(expected)
  })
})

describe('connectableAddress', () => {
  it.each([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '::1'],
    ['10.0.0.11', '10.0.0.11'],
    ['127.0.0.1', '127.0.0.1'],
  ])('turns %s into %s', (listen, called) => {
    expect(connectableAddress(listen)).toBe(called)
  })
})

describe('isHostName', () => {
  it('accepts names of RFC 1123 and no invalid IPv4 address', () => {
    expect(
      ['db1', 'a.b.example', 'A-1', '1.2.3', '-a', 'a_b', 'a..b', 'a'.repeat(64)].map(isHostName),
    ).toEqual([true, true, true, false, false, false, false, false])
  })
})
