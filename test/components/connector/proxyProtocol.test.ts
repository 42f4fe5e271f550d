import { describe, expect, it } from 'vitest'
import { isInNetworks, proxyHeader } from '../../../src/components/connector/proxyProtocol.ts'

const signature = '0d0a0d0a000d0a515549540a'
const hex = (ends: Parameters<typeof proxyHeader>[0]): string => proxyHeader(ends).toString('hex')

describe('the header of the PROXY protocol', () => {
  it('names both ends of a connection over IPv4, also where the socket writes them as IPv6', () => {
    const expected = `${signature}2111000c0a0000050a00000b30390cea`
    const ports = { remotePort: 12_345, localPort: 3306 }
    expect(hex({ remoteAddress: '10.0.0.5', localAddress: '10.0.0.11', ...ports })).toBe(expected)
    expect(hex({ remoteAddress: '::ffff:10.0.0.5', localAddress: '::ffff:10.0.0.11', ...ports })).toBe(
      expected,
    )
  })

  it('names both ends of a connection over IPv6', () => {
    const ends = { remoteAddress: '2001:db8::5', localAddress: '2001:db8::11', remotePort: 1, localPort: 2 }
    const [from, to] = ['5', '11'].map((it) => `20010db8${it.padStart(24, '0')}`)
    expect(hex(ends)).toBe(`${signature}21210024${from}${to}00010002`)
  })

  it.each([
    ['is gone', {}],
    ['has ends of two kinds', { remoteAddress: '10.0.0.5', localAddress: '::1' }],
  ])('says that the connection is the own one of the proxy where a client %s', (_what, ends) => {
    expect(hex(ends)).toBe(`${signature}20000000`)
  })
})

describe('the networks that take it', () => {
  it.each([
    ['10.0.0.11', '10.0.0.11', true],
    ['10.0.0.11', '10.0.0.12', false],
    ['10.0.0.11', '192.168.0.0/16, 10.0.0.8/29', true],
    ['10.0.0.16', '10.0.0.8/29', false],
    ['10.0.0.11', '0.0.0.0/0', true],
    ['::ffff:10.0.0.11', '10.0.0.0/8', true],
    ['2001:db8::11', '2001:db8::/32', true],
    ['2001:db9::11', '2001:db8::/32', false],
    ['10.0.0.11', '::/0', false],
    ['10.0.0.11', '*', true],
    ['10.0.0.11', 'localhost', false],
    ['10.0.0.11', '10.0.0.0/33,10.0.0.0/x,10.0.0.0/-1,/8', false],
    ['10.0.0.11', '', false],
    [undefined, '*', false],
  ])('have %s by the list %j: %s', (address, networks, is) => {
    expect(isInNetworks(address, networks)).toBe(is)
  })
})
