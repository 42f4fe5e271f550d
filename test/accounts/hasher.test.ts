import { expect, it } from 'vitest'
import { createHasher, passwordMark } from '../../src/accounts/hasher.ts'
import { verifyPassword } from '../../src/accounts/passwordHash.ts'
import { Secret } from '../../src/secrets/secret.ts'

it('hashes each pair of password and salt once, whoever asks for it again', async () => {
  const hash = createHasher({ ln: 4, r: 8, p: 1 })
  const salts = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)] as const
  const first = hash(new Secret('hunter2'), salts[0])
  expect(hash(new Secret('hunter2'), Buffer.alloc(16, 1))).toBe(first)
  expect(hash(new Secret('hunter3'), salts[0])).not.toBe(first)
  expect(hash(new Secret('hunter2'), salts[1])).not.toBe(first)
  expect(await verifyPassword(new Secret('hunter2'), await first)).toBe(true)
  expect(await hash(new Secret('hunter2'), salts[1])).not.toBe(await first)
})

it('marks a password by three hexadecimal digits, the same for the same salt', async () => {
  const hash = createHasher({ ln: 4, r: 8, p: 1 })
  const salts = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)] as const
  const mark = await passwordMark(hash, new Secret('hunter2'), salts[0])
  expect(mark).toMatch(/^[0-9a-f]{3}$/)
  expect(await passwordMark(hash, new Secret('hunter2'), salts[0])).toBe(mark)
  expect(await passwordMark(hash, new Secret('hunter2'), salts[1])).not.toBe(mark)
})
