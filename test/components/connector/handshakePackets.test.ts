import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  beginsAsServer,
  capabilitiesIn,
  helloIn,
  isReplyTo,
  kindOfLogin,
  packetIn,
  placeholderLogin,
  placeholderUser,
  wrongReplyTo,
} from '../../../src/components/connector/handshakePackets.ts'

/** What MariaDB 10.11 greeted with. */
const greeting = Buffer.from(
  '5d0000000a352e352e352d31302e31312e31392d4d6172696144422d6c6f670005000000' +
    '4c2d5b5d4b3a5f5600fef72d0200ffc11500000000000000001d000000384d6b33457e585f354f5d5f006d7973716c5f6e61746976655f70617373776f726400',
  'hex',
)
const offered = 0xff_ff_ff_ff
const frame = (sequence: number, payload: Uint8Array): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUIntLE(payload.length, 0, 3)
  head[3] = sequence
  return Buffer.concat([head, payload])
}
const bytes = fc.uint8Array({ maxLength: 300 }).map((it) => Buffer.from(it))

describe('what a server greets with', () => {
  it('is told from other protocols by its first bytes, however few have come', () => {
    for (let length = 0; length <= greeting.length; length += 1) {
      expect(beginsAsServer(greeting.subarray(0, length))).toBe(true)
    }
    for (const text of ['db1 greets\n', 'HTTP/1.1 200 OK', 'SSH-2.0-OpenSSH']) {
      expect(beginsAsServer(Buffer.from(text))).toBe(false)
    }
  })

  it('holds its capabilities, and none where it is cut short', () => {
    expect(capabilitiesIn(greeting) & 0x88200).toBe(0x88200)
    expect(capabilitiesIn(greeting.subarray(0, 40))).toBe(0)
    fc.assert(fc.property(bytes, (any) => Number.isInteger(capabilitiesIn(any))))
  })
})

describe('what a client answers', () => {
  it('is a login where the connector itself made it, and names an account that tells why', () => {
    expect(kindOfLogin(placeholderLogin(), offered & ~0x800)).toBe('login')
    expect(placeholderLogin().includes(`${placeholderUser}\0`)).toBe(true)
    expect(packetIn(placeholderLogin())).toEqual(placeholderLogin())
  })

  it('is no login without a name and the length of its answer', () => {
    fc.assert(
      fc.property(fc.nat(32 + placeholderUser.length), (length) => {
        const cut = frame(1, placeholderLogin().subarray(4, 4 + length))
        expect(kindOfLogin(cut, offered)).toBe('broken')
      }),
    )
  })

  it('is judged without an error, whatever it is', () => {
    const flags = fc.integer({ min: 0, max: 2 ** 32 - 1 })
    fc.assert(
      fc.property(fc.nat(255), flags, flags, bytes, (sequence, wanted, capabilities, rest) => {
        const payload = Buffer.concat([Buffer.alloc(32, 1), rest])
        payload.writeUInt32LE(wanted, 0)
        expect(['tls', 'login', 'broken']).toContain(kindOfLogin(frame(sequence, payload), capabilities))
        expect(['tls', 'login', 'broken']).toContain(kindOfLogin(frame(1, rest), capabilities))
      }),
    )
  })

  it.each(['constructor', '__proto__', 'toString', '', 'no such plugin'])(
    'is a login with a plugin of any name: %s',
    (plugin) => {
      const [before, after] = [
        placeholderLogin().subarray(4, -'mysql_native_password\0'.length),
        Buffer.from(`${plugin}\0`),
      ]
      expect(kindOfLogin(frame(1, Buffer.concat([before, after])), offered & ~0x100800)).toBe('login')
      const question = frame(2, Buffer.from(`\u00fe${plugin}\0`, 'latin1'))
      expect(isReplyTo(question, frame(3, Buffer.alloc(3)))).toBe(true)
      expect(wrongReplyTo(question)).toEqual(frame(3, Buffer.alloc(1)))
    },
  )

  it('asks for TLS only where the server offers it', () => {
    const request = Buffer.alloc(32)
    request.writeUInt32LE(0x8a01, 0)
    expect(kindOfLogin(frame(1, request), 0x8a01)).toBe('tls')
    expect(kindOfLogin(frame(1, request), 0x8201)).toBe('broken')
  })

  it('goes on with a ClientHello, which is passed on whole', () => {
    const hello = Buffer.concat([Buffer.from('160301000401', 'hex'), Buffer.alloc(3)])
    for (let length = 0; length < hello.length; length += 1) {
      expect(helloIn(hello.subarray(0, length))).toBe('partial')
    }
    expect(helloIn(hello)).toBe('whole')
    for (const junk of ['GET / HTTP/1.0', '\x16\x03\x01\xff\xff', '\x16\x03\x01\x00\x04\x02']) {
      expect(helloIn(Buffer.from(junk, 'latin1'))).toBe('broken')
    }
  })
})

describe('what the connector answers in place of a client', () => {
  it('has the form that the plugin takes for a password', () => {
    const ask = (plugin: string) => frame(2, Buffer.from(`\u00fe${plugin}\0salt`, 'latin1'))
    expect(wrongReplyTo(ask('client_ed25519'))).toEqual(frame(3, Buffer.alloc(64)))
    expect(wrongReplyTo(ask('mysql_native_password'))).toEqual(frame(3, Buffer.alloc(0)))
    expect(wrongReplyTo(ask('caching_sha2_password'))).toEqual(frame(3, Buffer.alloc(1)))
    expect(wrongReplyTo(frame(255, Buffer.of(1, 4)))).toEqual(frame(0, Buffer.alloc(1)))
  })

  it('is nothing where caching_sha2_password only says that all is well', () => {
    expect(wrongReplyTo(frame(2, Buffer.of(1, 3)))).toBeUndefined()
  })
})
