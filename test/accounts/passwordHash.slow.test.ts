import { describe, expect, it } from 'vitest'
import {
  createHasher,
  hasherOf,
  hashPassword,
  passwordMark,
  verifyPassword,
} from '../../src/accounts/passwordHash.ts'
import { parsePhc } from '../../src/accounts/phc.ts'
import { Secret } from '../../src/secrets/secret.ts'

const cost = { ln: 4, r: 8, p: 1 }
const salt = Buffer.from('0123456789abcdef')

describe('hashPassword', () => {
  it('writes a PHC string at the full cost, and the same string for the same salt', async () => {
    const hash = await hashPassword({ password: new Secret('secret'), salt })
    expect(hash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$MDEyMzQ1Njc4OWFiY2RlZg\$[A-Za-z0-9+/]{43}$/)
    expect(await hashPassword({ password: new Secret('secret'), salt })).toBe(hash)
    expect(await verifyPassword(new Secret('secret'), hash)).toBe(true)
  })

  it('hashes a password in NFC', async () => {
    const composed = await hashPassword({ password: new Secret('\u00e9'), salt, cost })
    expect(await hashPassword({ password: new Secret('e\u0301'), salt, cost })).toBe(composed)
  })
})

describe('verifyPassword', () => {
  it('agrees with the test vector of RFC 7914 section 12, at the cost in the string', async () => {
    const hash =
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
      'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887'
    const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
    const phc = `$scrypt$ln=14,r=8,p=1$${unpadded(Buffer.from('SodiumChloride'))}$${unpadded(Buffer.from(hash, 'hex'))}`
    expect(await verifyPassword(new Secret('pleaseletmein'), phc)).toBe(true)
    expect(await verifyPassword(new Secret('pleaseletmeim'), phc)).toBe(false)
  })

  it('refuses text that is not a hash, and a hash that would need too much memory', async () => {
    const good = await hashPassword({ password: new Secret('x'), salt, cost })
    for (const phc of ['', 'x', '$2b$10$abc', good.replace('ln=4', 'ln=30'), good.replace('ln=4', 'ln=16')]) {
      expect(await verifyPassword(new Secret('x'), phc)).toBe(false)
    }
    expect(parsePhc(good.replace('r=8', 'r=0'))).toBeUndefined()
  })
})

it('createHasher hashes each pair of password and salt once, however often it is asked', async () => {
  const hash = createHasher({ ln: 4, r: 8, p: 1 })
  const salts = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)] as const
  const first = hash(new Secret('hunter2'), salts[0])
  expect(hash(new Secret('hunter2'), Buffer.alloc(16, 1))).toBe(first)
  expect(hash(new Secret('hunter3'), salts[0])).not.toBe(first)
  expect(hash(new Secret('hunter2'), salts[1])).not.toBe(first)
  expect(await verifyPassword(new Secret('hunter2'), await first)).toBe(true)
  expect(await hash(new Secret('hunter2'), salts[1])).not.toBe(await first)
})

it('hasherOf takes the full cost, or the one that the environment of a test names', async () => {
  const cost = async (env: Readonly<Record<string, string>>) =>
    parsePhc(await hasherOf(env)(new Secret('hunter2'), salt))?.cost
  expect(await cost({ MUSTER_TEST_SCRYPT_LN: '4' })).toEqual({ ln: 4, r: 8, p: 1 })
  for (const wrong of ['', '0', '14', '4 ']) {
    expect(await cost({ MUSTER_TEST_SCRYPT_LN: wrong })).toEqual({ ln: 14, r: 8, p: 5 })
  }
})

it('passwordMark returns three hexadecimal digits, the same for the same salt', async () => {
  const hash = createHasher({ ln: 4, r: 8, p: 1 })
  const salts = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)] as const
  const mark = await passwordMark(hash, new Secret('hunter2'), salts[0])
  expect(mark).toMatch(/^[0-9a-f]{3}$/)
  expect(await passwordMark(hash, new Secret('hunter2'), salts[0])).toBe(mark)
  expect(await passwordMark(hash, new Secret('hunter2'), salts[1])).not.toBe(mark)
})
