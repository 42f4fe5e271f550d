import { describe, expect, it } from 'vitest'
import { CertificateError } from '../../src/certificates/certificateError.ts'
import { generateKey } from '../../src/certificates/keyPair.ts'
import { checkOutsideCertificate } from '../../src/certificates/outsideCertificate.ts'
import { certificatesOf } from '../../src/certificates/pem.ts'
import { alternativeNames } from '../../src/certificates/profile.ts'
import { leafConstraints, subjectNames } from '../../src/certificates/signCertificate.ts'
import { encode, octets, oid, sequence } from '../../src/certificates/stores/der.ts'
import { outsideAuthority, type Signer, signedOutside } from './outside.ts'
import { day } from './tools.ts'

const now = day('2026-03-10')
const root = await outsideAuthority('corp', now)
const { key } = await generateKey()
const { key: other } = await generateKey()
const names = { names: ['db1'], addresses: ['10.0.0.11'] }
const leafOf = (changes: Partial<Parameters<typeof signedOutside>[0]> = {}): string =>
  signedOutside({ by: root, key, name: 'db1', names, now, ...changes })
const leaf = leafOf()
/** extKeyUsage with clientAuth alone. */
const forClients = sequence(oid('2.5.29.37'), octets(encode(sequence(oid('1.3.6.1.5.5.7.3.2')))))

const judge = (pem: string, changes: object = {}) =>
  checkOutsideCertificate({
    pem,
    key,
    host: 'db1',
    called: ['127.0.0.1', '10.0.0.11'],
    names: ['db1'],
    now,
    ...changes,
  })

function refusal(pem: string, changes: object = {}): string {
  try {
    judge(pem, changes)
  } catch (error) {
    if (error instanceof CertificateError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

describe('checkOutsideCertificate', () => {
  it('accepts a leaf with its authority in any order and ignores other certificates', async () => {
    const stranger = await outsideAuthority('stranger', now)
    const { chain, authority, warnings } = judge(stranger.certificate + root.certificate + leaf)
    expect({ chain, authority, warnings }).toEqual({
      chain: leaf + root.certificate,
      authority: root.certificate,
      warnings: [],
    })
  })

  it('accepts a chain with an intermediate authority and reports a missing one', async () => {
    const { key: middleKey } = await generateKey()
    const middle: Signer = {
      name: 'middle',
      key: middleKey,
      certificate: signedOutside({ by: root, key: middleKey, name: 'middle', names, now, authority: true }),
    }
    const below = leafOf({ by: middle })
    expect(certificatesOf(judge(below + middle.certificate + root.certificate).chain)).toHaveLength(3)
    expect(refusal(below + middle.certificate)).toBe(
      'outside-incomplete: The chain is incomplete: it ends with CN=middle, and its issuer CN=muster corp authority is not in the file',
    )
    const late = leafOf({ by: middle, days: 90 })
    expect(refusal(late + middle.certificate + root.certificate, { now: day('2026-07-10') })).toBe(
      'outside-expired: The certificate CN=db1 expired on 2026-06-08',
    )
  })

  it('rejects an issuer that cannot sign', async () => {
    const { key: middleKey } = await generateKey()
    const certificate = signedOutside({ by: root, key: middleKey, name: 'mere', names, now })
    const below = leafOf({ by: { name: 'mere', key: middleKey, certificate } })
    expect(refusal(below + certificate + root.certificate)).toMatch(/^outside-(issuer|incomplete): /)
  })

  it.each([
    [
      'no PEM',
      () => 'MIIB',
      'outside-unreadable: The file contains no PEM certificate, or one that cannot be read',
    ],
    [
      'a certificate of another key',
      () => leafOf({ key: other }) + root.certificate,
      'outside-other-key: None of the certificates (CN=db1; CN=muster corp authority) belongs to the key of db1',
    ],
    [
      'a leaf alone',
      () => leaf,
      'outside-incomplete: The chain is incomplete: it ends with CN=db1, and its issuer CN=muster corp authority is not in the file',
    ],
    [
      'one that is for later',
      () => leafOf({ now: day('2026-03-20') }) + root.certificate,
      'outside-not-yet-valid: The certificate CN=db1 is valid only from 2026-03-19',
    ],
    [
      'one without an address at which it is called',
      () => leafOf({ names: { names: ['db1'], addresses: [] } }) + root.certificate,
      'outside-names: The certificate is valid for db1, localhost, 127.0.0.1, ::1, but clients connect to db1 as 10.0.0.11',
    ],
    [
      'one for clients only',
      () =>
        leafOf({
          extensions: [leafConstraints(), forClients, subjectNames(alternativeNames(names))],
        }) + root.certificate,
      'outside-purpose: The certificate of db1 is not meant for servers: its extended key usage lacks serverAuth',
    ],
  ])('rejects %s', (_, pem, message) => {
    expect(refusal(pem())).toBe(message)
  })

  it('warns about missing names', () => {
    const { warnings } = judge(leaf + root.certificate, { names: ['db1', 'db1.example.org'] })
    expect(warnings).toEqual(['the certificate is not valid for db1.example.org'])
  })
})
