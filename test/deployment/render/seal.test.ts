import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  createIdentity,
  isRecipient,
  recipientOf,
  seal,
  unseal,
} from '../../../src/deployment/render/seal.ts'
import { Secret } from '../../../src/secrets/secret.ts'

const secrets = {
  version: 1,
  sums: 'a'.repeat(64),
  files: [{ path: '/opt/muster/share/secrets.json', text: 'the password' }],
  users: [{ user: 'admin', access: 'full', hash: 'the hash', password: 'the password' }],
} as const

describe('sealed secrets', () => {
  it('are opened by the identity of their recipient, with comments around it', async () => {
    const { identity, recipient } = await createIdentity()
    const sealed = await seal(secrets, recipient)
    expect(sealed.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n-> X25519 /)
    expect(sealed.includes('the password')).toBe(false)
    const keyFile = new Secret(`# public key: ${recipient}\r\n\n  ${identity.reveal()}  \n`)
    expect(await unseal(sealed, keyFile)).toEqual(secrets)
    expect(await recipientOf(keyFile)).toBe(recipient)
    expect(inspect(await createIdentity())).not.toContain('AGE-SECRET')
  })

  it('are not opened by another identity, by none, or after a change', async () => {
    const [one, other] = [await createIdentity(), await createIdentity()]
    const sealed = await seal(secrets, one.recipient)
    expect(await unseal(sealed, other.identity)).toBe('other-identity')
    expect(await unseal(sealed, new Secret('# nothing here\n'))).toBe('no-identity')
    expect(await unseal(sealed, new Secret('AGE-SECRET-KEY-1QQQQ'))).toBe('no-identity')
    for (const at of [30, sealed.length - 1]) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(await unseal(changed, one.identity)).toBe(at === 30 ? 'other-identity' : 'damaged')
    }
    expect(await unseal(Buffer.alloc(0), one.identity)).toBe('damaged')
  })

  it('of another shape are damaged', async () => {
    const { identity, recipient } = await createIdentity()
    const other = await seal({ ...secrets, sums: 'short' }, recipient)
    expect(await unseal(other, identity)).toBe('damaged')
  })

  it('have recipients of X25519 alone, whose checksum is right', async () => {
    const { recipient, identity } = await createIdentity()
    expect(isRecipient(recipient)).toBe(true)
    const last = recipient.endsWith('q') ? 'p' : 'q'
    for (const text of [
      '',
      'age1',
      `${recipient.slice(0, -1)}${last}`,
      recipient.toUpperCase(),
      identity.reveal(),
    ])
      expect(isRecipient(text), text).toBe(false)
  })
})
