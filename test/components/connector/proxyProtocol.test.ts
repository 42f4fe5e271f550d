import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressText } from '../../../src/base/address.ts'
import {
  findHeader,
  isInNetworks,
  longestHeader,
  proxyHeader,
} from '../../../src/components/connector/proxyProtocol.ts'

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

/** A header of version 2 with these bytes after its length. */
function binary(command: number, kind: number, rest: Buffer): Buffer {
  const head = Buffer.concat([Buffer.from(signature, 'hex'), Buffer.of(command, kind, 0, 0)])
  head.writeUInt16BE(rest.length, 14)
  return Buffer.concat([head, rest])
}

const line = (text: string): ReturnType<typeof findHeader> => findHeader(Buffer.from(text, 'latin1'))

const four = Buffer.from('0a0000050a00000b30390cea', 'hex')
const ends = {
  ...{ remoteAddress: '10.0.0.5', remotePort: 12_345 },
  ...{ localAddress: '10.0.0.11', localPort: 3306 },
}

const addressOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => addressText(Buffer.from(bytes)))
const port = fc.integer({ min: 0, max: 65_535 })
const anyEnds = fc
  .constantFrom(4, 16)
  .chain((length) =>
    fc.record({
      ...{ remoteAddress: addressOf(length), remotePort: port },
      ...{ localAddress: addressOf(length), localPort: port },
    }),
  )
  // Of an address of IPv4 within IPv6 the other one may be none.
  .filter((it) => it.remoteAddress.includes(':') === it.localAddress.includes(':'))

/** A whole header of either version, with the ends that it names. */
const anyHeader = fc
  .tuple(anyEnds, fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 400 }))
  .map(([named, version, fields]) => {
    const { remoteAddress, localAddress, remotePort, localPort } = named
    const family = remoteAddress.includes(':') ? 6 : 4
    const written = proxyHeader(named)
    const bytes =
      version === 2
        ? binary(0x21, written[13] ?? 0, Buffer.concat([written.subarray(16), fields]))
        : Buffer.from(`PROXY TCP${family} ${remoteAddress} ${localAddress} ${remotePort} ${localPort}\r\n`)
    return { named, bytes }
  })

describe('findHeader', () => {
  it('finds who is named by every header that is written, whatever follows it', () => {
    fc.assert(
      fc.property(anyHeader, fc.uint8Array({ maxLength: 1000 }), ({ named, bytes }, more) => {
        expect(findHeader(Buffer.concat([bytes, more]))).toEqual({ length: bytes.length, ends: named })
      }),
    )
  })

  it('waits for the rest of every begin of a header', () => {
    fc.assert(
      fc.property(anyHeader, fc.nat(), ({ bytes }, at) => {
        expect(findHeader(bytes.subarray(0, at % bytes.length))).toBe('partial')
      }),
    )
  })

  it('never throws, and decides by no more bytes than a header may have', () => {
    const begin = fc.constantFrom(
      '',
      'PROXY ',
      'PROXY UNKNOWN',
      Buffer.from(signature, 'hex').toString('latin1'),
    )
    const bytes = fc
      .tuple(begin, fc.uint8Array({ maxLength: 1200 }))
      .map(([text, more]) => Buffer.concat([Buffer.from(text, 'latin1'), more]))
    fc.assert(
      fc.property(bytes, (it) => {
        const found = findHeader(it)
        const most = it[0] === 0x0d ? longestHeader.binary : longestHeader.line
        expect(findHeader(it.subarray(0, most))).toEqual(found)
        if (typeof found === 'object') expect(found.length).toBeLessThanOrEqual(most)
        else if (it.length >= most) expect(found).toBe('broken')
      }),
    )
  })

  it('skips further fields, as far as a header may be long', () => {
    const fields = Buffer.from('040003414243', 'hex')
    expect(findHeader(binary(0x21, 0x11, Buffer.concat([four, fields])))).toEqual({ length: 34, ends })
    const most = longestHeader.binary - 16
    expect(findHeader(binary(0x21, 0x11, Buffer.concat([four, Buffer.alloc(most - 12)])))).toEqual({
      length: longestHeader.binary,
      ends,
    })
    const tooLong = binary(0x21, 0x11, Buffer.concat([four, Buffer.alloc(most - 11)]))
    expect(findHeader(tooLong.subarray(0, 16))).toBe('broken')
  })

  it.each([
    ['a check of its sender', 0x20, 0x00, Buffer.alloc(0)],
    ['a check that names ends', 0x20, 0x11, four],
    ['a check of any family', 0x20, 0xff, Buffer.alloc(3)],
    ['no known family', 0x21, 0x00, Buffer.alloc(0)],
    ['datagrams', 0x21, 0x12, four],
    ['a socket of Unix', 0x21, 0x31, Buffer.alloc(216, 1)],
  ])('finds no ends in a header of %s', (_what, command, kind, rest) => {
    expect(findHeader(binary(command, kind, rest))).toEqual({ length: 16 + rest.length })
  })

  it.each([
    ['another version', 0x11, 0x11, four],
    ['another command', 0x22, 0x11, four],
    ['another family', 0x21, 0x41, four],
    ['another transport', 0x21, 0x13, four],
    ['less than two addresses of IPv4', 0x21, 0x11, four.subarray(1)],
    ['two addresses of IPv4 instead of IPv6', 0x21, 0x21, four],
  ])('rejects a header with %s', (_what, command, kind, rest) => {
    expect(findHeader(binary(command, kind, rest))).toBe('broken')
  })

  it('reads lines of both families, and those that name nobody', () => {
    expect(line('PROXY TCP4 10.0.0.5 10.0.0.11 12345 3306\r\nmore')).toEqual({ length: 42, ends })
    const six = line('PROXY TCP6 2001:DB8::5 ::1 0 65535\r\n')
    const named = { remoteAddress: '2001:db8::5', remotePort: 0, localAddress: '::1', localPort: 65_535 }
    expect(six).toEqual({ length: 36, ends: named })
    const long = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'
    expect(line(`PROXY TCP6 ${long} ${long} 65535 65535\r\n`)).toMatchObject({ length: 104 })
    expect(line('PROXY UNKNOWN\r\n')).toEqual({ length: 15 })
    expect(line(`PROXY UNKNOWN ${long} ${long} 65535 65535\r\n`)).toEqual({ length: longestHeader.line })
  })

  it.each([
    ['a zero before a number', 'PROXY TCP4 10.0.0.05 10.0.0.11 12345 3306\r\n'],
    ['a zero before a port', 'PROXY TCP4 10.0.0.5 10.0.0.11 12345 03306\r\n'],
    ['a port beyond the last', 'PROXY TCP4 10.0.0.5 10.0.0.11 65536 3306\r\n'],
    ['a signed port', 'PROXY TCP4 10.0.0.5 10.0.0.11 -1 3306\r\n'],
    ['two spaces', 'PROXY TCP4  10.0.0.5 10.0.0.11 12345 3306\r\n'],
    ['a space at its end', 'PROXY TCP4 10.0.0.5 10.0.0.11 12345 3306 \r\n'],
    ['a tabulator', 'PROXY TCP4\t10.0.0.5 10.0.0.11 12345 3306\r\n'],
    ['a NUL', 'PROXY TCP4 10.0.0.5\0 10.0.0.11 12345 3306\r\n'],
    ['a NUL beside nobody', 'PROXY UNKNOWN \0\r\n'],
    ['no CR', 'PROXY TCP4 10.0.0.5 10.0.0.11 12345 3306\n'],
    ['a CR within', 'PROXY TCP4 10.0.0.5 10.0.0.11 12345\r 3306\r\n'],
    ['one address', 'PROXY TCP4 10.0.0.5 12345 3306\r\n'],
    ['addresses of IPv6 as IPv4', 'PROXY TCP4 ::1 ::2 12345 3306\r\n'],
    ['addresses of IPv4 as IPv6', 'PROXY TCP6 10.0.0.5 10.0.0.11 12345 3306\r\n'],
    ['addresses of two families', 'PROXY TCP4 10.0.0.5 ::1 12345 3306\r\n'],
    ['a zone', 'PROXY TCP6 fe80::1%eth0 ::1 12345 3306\r\n'],
    ['a name', 'PROXY TCP4 localhost 10.0.0.11 12345 3306\r\n'],
    ['another transport', 'PROXY UDP4 10.0.0.5 10.0.0.11 12345 3306\r\n'],
    ['a word that only begins as nobody', 'PROXY UNKNOWNS\r\n'],
    ['small letters', 'proxy TCP4 10.0.0.5 10.0.0.11 12345 3306\r\n'],
    ['more than a line may have', `PROXY UNKNOWN ${'x'.repeat(92)}\r\n`],
    ['no end', `PROXY UNKNOWN ${'x'.repeat(93)}`],
  ])('rejects a line with %s', (_what, text) => {
    expect(line(text)).toBe('broken')
  })

  it.each(['GET / HTTP/1.0', '\x16\x03\x01', '\r\n\r\n\0\r\nQUIT\r', 'P\0', ' PROXY ', 'PROXYTCP4'])(
    'rejects other words at their first other byte: %j',
    (text) => {
      expect(line(text)).toBe('broken')
    },
  )
})
