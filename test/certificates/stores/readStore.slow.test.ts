import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../../src/certificates/authority.ts'
import type { OpenedStores } from '../../../src/certificates/checkStores.ts'
import { issueLeaf } from '../../../src/certificates/leaf.ts'
import { reportStoreProblem } from '../../../src/certificates/storeProblem.ts'
import { readStore } from '../../../src/certificates/stores/readStore.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { foreignTools } from '../foreignTools.ts'
import { hasKeytool, hasOpenssl } from '../tools.ts'

const { folder, keytool, openssl, store, makePair, open, expectKey, codes } = foreignTools()
const now = new Date()
const words = 'changeit é€'
const password = new Secret(words)

// Each run of keytool starts a Java machine: a second or more where others are at work.
describe.skipIf(!hasKeytool)('stores that keytool made (needs keytool)', () => {
  it('open as JKS with RSA, and a JKS truststore trusts them', async () => {
    await makePair(
      'rsa.jks',
      '-storetype',
      'JKS',
      '-keyalg',
      'RSA',
      '-keysize',
      '2048',
      '-keypass',
      'changeit',
    )
    const certificate = folder.path('rsa.crt')
    await keytool('-exportcert', '-rfc', '-alias', 'tls', '-file', certificate, ...store('rsa.jks'))
    const words = ['-importcert', '-noprompt', '-alias', 'root', '-file', certificate, '-storetype', 'JKS']
    await keytool(...words, ...store('trust.jks'))
    const opened = open('rsa.jks', undefined, 'trust.jks')
    expectKey(opened, 'rsa')
    expect(opened.ok && opened.authorities.map((pem) => pem.trim())).toEqual([
      readFileSync(certificate, 'utf8').replaceAll('\r', '').trim(),
    ])
    expect(codes(open('rsa.jks', new Secret('wrong')))).toEqual(['keystore-wrong-password'])
    expect(codes(open('trust.jks'))).toEqual(['keystore-no-private-key'])
  })

  it('open as PKCS#12 with elliptic curves', async () => {
    await makePair('ec.p12', '-storetype', 'PKCS12', '-keyalg', 'EC', '-groupname', 'secp384r1')
    expectKey(open('ec.p12'), 'ec')
    expect(codes(open('ec.p12', new Secret('wrong')))).toEqual(['keystore-wrong-password'])
    // Its certificate is in the store, but not as one to trust.
    expect(codes(open('ec.p12', undefined, 'ec.p12'))).toEqual(['truststore-empty'])
  })

  it('report a key of a JKS store with its own password', async () => {
    await makePair('two.jks', '-storetype', 'JKS', '-keyalg', 'EC', '-keypass', 'different')
    expect(codes(open('two.jks'))).toEqual(['keystore-key-password'])
  })

  it('are rejected as JCEKS with a fix to convert them', async () => {
    await makePair('old.jceks', '-storetype', 'JCEKS', '-keyalg', 'EC', '-keypass', 'changeit')
    const opened = open('old.jceks')
    expect(codes(opened)).toEqual(['keystore-unsupported'])
    const [told] = opened.ok ? [] : opened.problems.map((problem) => reportStoreProblem(problem, ['db1']))
    expect(told?.message).toContain('JCEKS')
    expect(told?.fix).toContain('-deststoretype pkcs12')
  })
})

describe.skipIf(!hasOpenssl)('stores that openssl made (needs openssl)', async () => {
  const authority = await createAuthority({ cluster: 'alpha', now })
  const names = { names: ['db1'], addresses: ['10.0.0.11'] }
  const leaf = await issueLeaf({ authority, ...names, lifetimeDays: 90, now })
  writeFileSync(folder.path('key.pem'), leaf.key.reveal())
  writeFileSync(folder.path('chain.pem'), leaf.chain)
  const exported = async (name: string, ...given: readonly string[]): Promise<OpenedStores> => {
    const files = [
      '-in',
      folder.path('chain.pem'),
      '-inkey',
      folder.path('key.pem'),
      '-out',
      folder.path(name),
    ]
    await openssl('pkcs12', '-export', '-name', 'tls', '-passout', `pass:${words}`, ...files, ...given)
    return open(name, password)
  }
  const keys = (opened: OpenedStores): boolean => opened.ok && opened.key.equals(leaf.key)

  it.each([
    ['AES-256 as it comes', []],
    ['AES-128 with SHA-512', ['-keypbe', 'AES-128-CBC', '-certpbe', 'AES-128-CBC', '-macalg', 'sha512']],
    ['triple DES', ['-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha1']],
    ['certificates in the clear', ['-certpbe', 'NONE']],
    ['nothing encrypted', ['-certpbe', 'NONE', '-keypbe', 'NONE']],
    ['no integrity check', ['-nomac']],
  ])('open with a password beyond ASCII: %s', async (title, given) => {
    const opened = await exported(`${title}.p12`, ...given)
    expect(codes(opened)).toEqual([])
    expect(keys(opened)).toBe(true)
    expect(opened.ok && opened.chain).toBe(leaf.chain)
  })

  it.each([
    ['40-bit RC2', []],
    ['128-bit RC2', ['-certpbe', 'PBE-SHA1-RC2-128', '-keypbe', 'PBE-SHA1-RC2-128']],
    ['RC2 beside triple DES', ['-certpbe', 'PBE-SHA1-RC2-40', '-keypbe', 'PBE-SHA1-3DES']],
  ])('open with %s of old programs', async (title, given) => {
    const opened = await exported(`${title}.p12`, '-legacy', ...given)
    expect(keys(opened)).toBe(true)
  })

  it('report a wrong password without an integrity check', async () => {
    await exported('nomac.p12', '-nomac')
    // One wrong password in 256 leaves a padding that looks right.
    const tried = Array.from({ length: 600 }, (_, at) => codes(open('nomac.p12', new Secret(`wrong${at}`))))
    expect(new Set(tried.flat())).toEqual(new Set(['keystore-wrong-password']))
  })

  it('have a number as alias without a name, as in Java', async () => {
    const files = ['-in', folder.path('chain.pem'), '-inkey', folder.path('key.pem')]
    await openssl(
      'pkcs12',
      '-export',
      '-passout',
      'pass:changeit',
      ...files,
      '-out',
      folder.path('unnamed.p12'),
    )
    const read = readStore(readFileSync(folder.path('unnamed.p12')), new Secret('changeit'))
    expect(read.ok && read.store.keys.map((key) => key.alias)).toEqual(['1'])
  })

  it('may contain certificates that Java does not trust', async () => {
    const file = folder.path('nokeys.p12')
    writeFileSync(folder.path('ca.crt'), authority.certificate)
    await openssl(
      'pkcs12',
      '-export',
      '-nokeys',
      '-in',
      folder.path('ca.crt'),
      '-passout',
      'pass:changeit',
      '-out',
      file,
    )
    const read = readStore(readFileSync(file), new Secret('changeit'))
    expect(read.ok && [read.store.trusted, read.store.unused]).toEqual([[], [authority.certificate]])
  })
})
