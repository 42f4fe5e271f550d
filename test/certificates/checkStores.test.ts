import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../src/certificates/authority.ts'
import { openStores } from '../../src/certificates/checkStores.ts'
import { createKeystore, createTruststore } from '../../src/certificates/hostStores.ts'
import { issueLeaf } from '../../src/certificates/leaf.ts'
import { certificatePem, certificatesOf } from '../../src/certificates/pem.ts'
import { reportStoreProblem, type StoreProblem } from '../../src/certificates/storeProblem.ts'
import { keyBag, writePkcs12 } from '../../src/certificates/stores/writePkcs12.ts'
import { type Code, codesOf } from '../../src/diagnostics/codes.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { day } from './tools.ts'

const now = day('2026-03-10')
const password = new Secret('correct horse')
const authority = await createAuthority({ cluster: 'alpha', now })
const other = await createAuthority({ cluster: 'alpha', now })
const leaf = await issueLeaf({ authority, names: ['db1'], addresses: ['10.0.0.11'], lifetimeDays: 365, now })
const second = await issueLeaf({ authority, names: ['db2'], addresses: [], lifetimeDays: 365, now })
const good = {
  keystore: createKeystore({ leaf, alias: 'tls', password }),
  keystorePassword: password,
  truststore: createTruststore({ authorities: [authority.certificate], password }),
  alias: 'tls',
  names: ['db1', '10.0.0.11'],
  now,
  warningDays: 30,
}
const random = (size: number): Buffer => Buffer.alloc(size, 7)
const pem = Buffer.from(leaf.chain)
const wrong = new Secret('incorrect horse')
const tell = (problem: StoreProblem) => reportStoreProblem(problem, ['db1'])

const defects: readonly (readonly [Code, Partial<typeof good> & { truststorePassword?: Secret }, string])[] =
  [
    [
      'keystore-wrong-password',
      { keystorePassword: wrong, truststorePassword: password } as never,
      'The password does not open the keystore of db1: its integrity check fails.',
    ],
    [
      'keystore-not-a-store',
      { keystore: pem },
      'The keystore of db1 is neither PKCS#12 nor JKS: the file is PEM text.',
    ],
    [
      'keystore-not-a-store',
      { keystore: Buffer.alloc(0) },
      'The keystore of db1 is neither PKCS#12 nor JKS: the file is empty.',
    ],
    [
      'keystore-not-a-store',
      { keystore: good.keystore.subarray(0, 300) },
      'The keystore of db1 is neither PKCS#12 nor JKS: not DER.',
    ],
    [
      'keystore-unsupported',
      { keystore: Buffer.alloc(64, 0xce) },
      'The keystore of db1 uses something that muster cannot read: the format JCEKS.',
    ],
    [
      'keystore-no-private-key',
      { keystore: good.truststore },
      'The keystore of db1 has certificates but no private key.',
    ],
    [
      'keystore-alias-absent',
      { alias: 'mysql' },
      'The keystore of db1 has no private key named mysql; it has tls.',
    ],
    [
      'keystore-no-certificate',
      {
        keystore: writePkcs12({
          bags: [
            keyBag({
              pkcs8: Buffer.from(leaf.key.reveal().replace(/-----[^-]+-----/g, ''), 'base64'),
              password,
              attributes: [],
              random,
            }),
          ],
          password,
          random,
        }),
        alias: '1',
      },
      'The private key 1 in the keystore of db1 has no certificate.',
    ],
    [
      'keystore-key-mismatch',
      { keystore: createKeystore({ leaf: { key: second.key, chain: leaf.chain }, alias: 'tls', password }) },
      'The private key tls in the keystore of db1 does not match its certificate.',
    ],
    [
      'keystore-not-yet-valid',
      { now: day('2026-03-08') },
      'The certificate of db1 is valid only from 2026-03-09.',
    ],
    ['keystore-expired', { now: day('2027-03-11') }, 'The certificate of db1 expired on 2027-03-10.'],
    [
      'keystore-names-do-not-cover',
      { names: ['db2', '10.0.0.12'] },
      'The certificate of db1 is valid for db1, localhost, 10.0.0.11, 127.0.0.1 and 0:0:0:0:0:0:0:1, not for db2 and 10.0.0.12.',
    ],
    [
      'truststore-wrong-password',
      { truststorePassword: wrong },
      'The password does not open the truststore of db1: its integrity check fails.',
    ],
    [
      'truststore-not-a-store',
      { truststore: pem },
      'The truststore of db1 is neither PKCS#12 nor JKS: the file is PEM text.',
    ],
    [
      'truststore-unsupported',
      { truststore: Buffer.alloc(64, 0xce) },
      'The truststore of db1 uses something that muster cannot read: the format JCEKS.',
    ],
    [
      'truststore-empty',
      { truststore: good.keystore },
      'The truststore of db1 has no trusted certificate: its entries are not marked as trusted, so Java ignores them.',
    ],
    [
      'truststore-does-not-trust',
      { truststore: createTruststore({ authorities: [other.certificate], password }) },
      'The truststore of db1 does not trust the keystore: it has no valid issuer of CN=muster alpha authority.',
    ],
  ]

describe('a defective keystore or truststore', () => {
  it.each(defects)('is found as %s', (code, changes, message) => {
    const opened = openStores({ ...good, ...changes })
    if (opened.ok) throw new Error('opened')
    expect(opened.problems.map(tell).map((problem) => [problem.code, problem.message])).toEqual([
      [code, message],
    ])
    for (const problem of opened.problems.map(tell)) {
      expect(problem.why).not.toBe('')
      expect(problem.fix).not.toBe('')
      expect(JSON.stringify(problem)).not.toContain('horse')
    }
  })

  it('is reported with all findings at once', () => {
    const opened = openStores({ ...good, now: day('2027-04-01'), names: ['db9'], truststore: pem })
    expect(opened.ok ? [] : opened.problems.map((problem) => problem.code)).toEqual([
      'keystore-expired',
      'keystore-names-do-not-cover',
      'truststore-not-a-store',
    ])
  })
})

describe('a valid pair of stores', () => {
  it('is returned as PEM', () => {
    const opened = openStores(good)
    expect(opened).toMatchObject({
      ok: true,
      chain: leaf.chain,
      authorities: [authority.certificate],
      warnings: [],
    })
    expect(opened.ok && opened.key.equals(leaf.key)).toBe(true)
  })

  it('is found by its alias in upper or lower case, as in Java', () => {
    expect(openStores({ ...good, alias: 'TLS' }).ok).toBe(true)
  })

  it('warns from the right day that it expires soon', () => {
    const warned = (date: string) => {
      const opened = openStores({ ...good, now: day(date) })
      return opened.ok ? opened.warnings.map(tell).map((one) => `${one.code}: ${one.message}`) : ['not open']
    }
    expect(warned('2027-02-07')).toEqual([])
    expect(warned('2027-02-08')).toEqual([
      'keystore-expires-soon: The certificate of db1 expires on 2027-03-10, in 30 days.',
    ])
    expect(warned('2027-03-09')).toEqual([
      'keystore-expires-soon: The certificate of db1 expires on 2027-03-10, in 1 day.',
    ])
  })

  it('warns about names that are not covered if another one is', () => {
    const opened = openStores({ ...good, names: ['db1', '10.0.0.99'] })
    expect(opened.ok && opened.warnings.map((one) => one.code)).toEqual(['keystore-names-partly-cover'])
  })

  it('gives the last certificate of its chain to trust without a truststore', () => {
    const { truststore: _, ...alone } = good
    const opened = openStores(alone)
    expect(opened.ok && opened.authorities).toEqual([authority.certificate])
  })

  it('gives its chain in order, without other certificates', () => {
    const [own, issuer] = (certificatesOf(leaf.chain) ?? []).map((one) => certificatePem(one.raw))
    const chain = `${own}${other.certificate}${issuer}`
    const opened = openStores({
      ...good,
      keystore: createKeystore({ leaf: { key: leaf.key, chain }, alias: 'tls', password }),
    })
    expect(opened.ok && opened.chain).toBe(leaf.chain)
  })
})

it('the store tests cover every code of a store finding', () => {
  const elsewhere = [
    'keystore-unreadable',
    'keystore-world-readable',
    'truststore-unreadable',
    'keystore-key-password',
    'truststore-key-password',
    'keystore-expires-soon',
    'keystore-names-partly-cover',
  ]
  expect([...new Set([...defects.map(([code]) => code as string), ...elsewhere])].sort()).toEqual(
    [...codesOf('What is in a keystore or truststore')].sort(),
  )
})
