import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../src/certificates/authority.ts'
import { describeChain } from '../../src/certificates/chain.ts'
import { issueLeaf, leafNeedsRenewal } from '../../src/certificates/leaf.ts'
import { day } from './tools.ts'

const now = day('2026-03-10')
const authority = await createAuthority({ cluster: 'alpha', now })
/** Of the same name, with another key. */
const impostor = await createAuthority({ cluster: 'alpha', now })
const host = { names: ['db1'], addresses: ['10.0.0.11'] }
const leaf = await issueLeaf({ authority, ...host, lifetimeDays: 365, now })

describe('describeChain', () => {
  const facts = describeChain(leaf.chain, now)

  it('returns the fields of the leaf', () => {
    expect(facts).toMatchObject({
      subject: 'CN=db1',
      issuer: 'CN=muster alpha authority',
      names: ['db1', 'localhost', '10.0.0.11', '127.0.0.1', '0:0:0:0:0:0:0:1'],
      fingerprint: new X509Certificate(leaf.chain).fingerprint256,
      notBefore: day('2026-03-09'),
      notAfter: day('2027-03-10'),
      expired: false,
    })
    expect(describeChain(leaf.chain, day('2027-03-11'))?.expired).toBe(true)
  })

  it('distinguishes the issuer from an authority with the same name', () => {
    expect(facts?.issuedBy(authority.certificate)).toBe(true)
    expect(facts?.issuedBy(impostor.certificate)).toBe(false)
    expect(facts?.issuedBy('not a certificate')).toBe(false)
  })

  it('does not follow a chain with a wrong signature', () => {
    const own = new X509Certificate(leaf.chain).toString()
    expect(describeChain(own + impostor.certificate, now)?.issuedBy(impostor.certificate)).toBe(false)
  })

  it('returns undefined for other text', () => {
    expect(describeChain('', now)).toBeUndefined()
    expect(
      describeChain('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', now),
    ).toBeUndefined()
    expect(describeChain(leaf.chain.slice(0, 300), now)).toBeUndefined()
  })
})

describe('leafNeedsRenewal', () => {
  const judge = (changes: object = {}) =>
    leafNeedsRenewal({
      chain: leaf.chain,
      authority: authority.certificate,
      ...host,
      now,
      warningDays: 30,
      ...changes,
    })

  it('returns undefined for a valid certificate', () => {
    expect(judge()).toBeUndefined()
    expect(judge({ names: ['DB1', 'localhost'], addresses: ['db1', '0.0.0.0'] })).toBeUndefined()
  })

  it.each([
    ['unreadable', { chain: 'x' }, 'cannot be read'],
    ['other-authority', { authority: impostor.certificate }, "was not issued by the cluster's authority"],
    ['not-yet-valid', { now: day('2026-03-01') }, 'is valid only from Mar  9 12:00:00 2026 GMT'],
    ['expired', { now: day('2027-03-10') }, 'expired on Mar 10 12:00:00 2027 GMT'],
    ['expires-soon', { now: day('2027-02-08') }, 'expires on Mar 10 12:00:00 2027 GMT'],
    ['other-key-type', { keyType: 'rsa' as const }, 'is not of java-tls-key-type rsa'],
    ['names-missing', { names: ['db1', 'db2'], addresses: ['fd00::1'] }, 'is not valid for db2, fd00::1'],
  ])('returns the reason: %s', (code, changes, message) => {
    expect(judge(changes)).toEqual({ code, message })
  })

  it('ignores an early expiry if a new certificate would expire as early', async () => {
    const short = await issueLeaf({ authority, ...host, lifetimeDays: 20, now })
    expect(judge({ chain: short.chain })).toBeUndefined()
    expect(judge({ chain: short.chain, now: day('2026-03-24') })?.code).toBe('expires-soon')
    const last = await issueLeaf({ authority, ...host, lifetimeDays: 365, now: day('2036-02-20') })
    expect(judge({ chain: last.chain, now: day('2036-02-20') })).toBeUndefined()
  })
})
