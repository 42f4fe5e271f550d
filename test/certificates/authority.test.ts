import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  authorityProblem,
  createAuthority,
  decryptKey,
  encryptKey,
  isEncrypted,
  signingKey,
} from '../../src/certificates/authority.ts'
import { issueLeaf } from '../../src/certificates/leaf.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { day, hasOpenssl, runTool, temporaryFolder } from './tools.ts'

const now = day('2026-03-10')
const authority = await createAuthority({ cluster: 'alpha', now })
const other = await createAuthority({ cluster: 'alpha', now })
const passphrase = new Secret('five random words of é')
const locked = { ...authority, key: encryptKey(authority.key, passphrase) }
const folder = temporaryFolder()
const issue = (by: typeof locked & { passphrase?: () => Promise<Secret> }) =>
  issueLeaf({ authority: by, names: ['db1'], addresses: [], lifetimeDays: 1, now })

describe('a protected key of an authority', () => {
  it('is opened only by its passphrase, and is then the same key', () => {
    expect([isEncrypted(authority.key), isEncrypted(locked.key)]).toEqual([false, true])
    expect(decryptKey(locked.key, passphrase)?.reveal()).toBe(authority.key.reveal())
    expect(decryptKey(locked.key, new Secret('five random words of e'))).toBeUndefined()
    expect(authorityProblem(locked)).toBeUndefined()
  })

  it('signs with the passphrase, which nothing else asks for', async () => {
    let asked = 0
    const ask = async () => {
      asked++
      return passphrase
    }
    expect((await issue({ ...locked, passphrase: ask })).chain).toContain('BEGIN CERTIFICATE')
    expect(asked).toBe(1)
    await issue({ ...authority, passphrase: ask })
    expect(asked).toBe(1)
    await expect(issue(locked)).rejects.toMatchObject({ code: 'authority-locked' })
  })

  it('does not sign with a wrong passphrase or for another certificate', async () => {
    const wrong = { ...locked, passphrase: async () => new Secret('another one') }
    await expect(issue(wrong)).rejects.toMatchObject({ code: 'authority-passphrase' })
    const strange = { ...locked, certificate: other.certificate, passphrase: async () => passphrase }
    await expect(signingKey(strange)).rejects.toMatchObject({ code: 'authority-passphrase' })
  })

  it('protects the key of a successor with its own passphrase', async () => {
    let asked = 0
    const ask = async () => {
      asked++
      return passphrase
    }
    const made = await createAuthority({
      cluster: 'alpha',
      now,
      successorOf: { ...locked, passphrase: ask },
    })
    expect(asked).toBeGreaterThan(0)
    expect(isEncrypted(made.key)).toBe(true)
    expect(decryptKey(made.key, passphrase)?.reveal()).not.toBe(authority.key.reveal())
    // It signs, and asks the same person.
    expect((await issue(made)).chain).toContain('BEGIN CERTIFICATE')
    const slip = { ...locked, passphrase: async () => new Secret('five random words of e') }
    const wrong = createAuthority({ cluster: 'alpha', now, successorOf: slip })
    await expect(wrong).rejects.toMatchObject({ code: 'authority-passphrase' })
    const nobody = createAuthority({ cluster: 'alpha', now, successorOf: locked })
    await expect(nobody).rejects.toMatchObject({ code: 'authority-locked' })
    expect(isEncrypted((await createAuthority({ cluster: 'alpha', now, successorOf: authority })).key)).toBe(
      false,
    )
  })

  it.skipIf(!hasOpenssl)('can be opened by openssl (needs openssl)', async () => {
    writeFileSync(folder.path('key.pem'), locked.key.reveal())
    writeFileSync(folder.path('pass'), `${passphrase.reveal()}\n`)
    const argv = [
      'pkey',
      '-in',
      folder.path('key.pem'),
      '-passin',
      `file:${folder.path('pass')}`,
      '-noout',
      '-text',
    ]
    expect(await runTool('openssl', ...argv)).toContain('Private-Key: (256 bit)')
  })
})
