import { createPrivateKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../src/certificates/authority.ts'
import { openStores } from '../../src/certificates/checkStores.ts'
import { createHostStores, packHostStores } from '../../src/certificates/hostStores.ts'
import { generatePassword } from '../../src/certificates/password.ts'
import { readStore } from '../../src/certificates/stores/readStore.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { hasKeytool, hasOpenssl, runTool, temporaryFolder } from './tools.ts'

const folder = temporaryFolder()
const now = new Date()
const authority = await createAuthority({ cluster: 'alpha', now })
const locks = { alias: 'tls', keystorePassword: generatePassword(), truststorePassword: generatePassword() }
const host = { names: ['db1'], addresses: ['10.0.0.11'] }
const stores = await createHostStores({ authority, ...host, ...locks, lifetimeDays: 365, now })
const [keystore, truststore] = [folder.path('keystore.p12'), folder.path('truststore.p12')]
writeFileSync(keystore, stores.keystore)
writeFileSync(truststore, stores.truststore)
writeFileSync(folder.path('authority.crt'), authority.certificate)
writeFileSync(folder.path('chain.pem'), stores.chain)

const keytoolList = (file: string, password: Secret): Promise<string> =>
  runTool('keytool', '-list', '-rfc', '-keystore', file, '-storepass', password.reveal())
const base64Of = (pem: string): string => pem.replace(/-----[^-]+-----|\s/g, '')

describe('a generated store', () => {
  it.skipIf(!hasKeytool)('is a PrivateKeyEntry with its chain for Java (needs keytool)', async () => {
    const listed = await keytoolList(keystore, locks.keystorePassword)
    expect(listed).toContain('Keystore type: PKCS12')
    expect(listed).toContain('Your keystore contains 1 entry')
    expect(listed).toContain('Alias name: tls')
    expect(listed).toContain('Entry type: PrivateKeyEntry')
    expect(listed).toContain('Certificate chain length: 2')
    const certificates = listed.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []
    expect(certificates.map(base64Of).join('')).toBe(base64Of(stores.chain))
  })

  it.skipIf(!hasKeytool)('is a trustedCertEntry of the authority for Java (needs keytool)', async () => {
    const listed = await keytoolList(truststore, locks.truststorePassword)
    expect(listed).toContain('Your keystore contains 1 entry')
    expect(listed).toContain('Alias name: authority')
    expect(listed).toContain('Entry type: trustedCertEntry')
    expect(base64Of(listed)).toContain(base64Of(authority.certificate))
  })

  it.skipIf(!hasKeytool)('gives its key to Java (needs keytool)', async () => {
    const copy = folder.path('copy.jks')
    const words = ['-srckeystore', keystore, '-srcstorepass', locks.keystorePassword.reveal()]
    const target = ['-destkeystore', copy, '-deststoretype', 'JKS', '-deststorepass', 'changeit']
    await runTool('keytool', '-importkeystore', ...words, ...target)
    const listed = await keytoolList(copy, new Secret('changeit'))
    expect(listed).toContain('Entry type: PrivateKeyEntry')
  })

  it.skipIf(!hasOpenssl)(
    'opens in OpenSSL 3 without -legacy, key encrypted with AES-256 (needs openssl)',
    async () => {
      const words = ['pkcs12', '-info', '-nodes', '-in', keystore]
      const shown = await runTool('openssl', ...words, '-passin', `pass:${locks.keystorePassword.reveal()}`)
      expect(shown).toContain('MAC: sha256, Iteration 2048')
      expect(shown).toContain(
        'Shrouded Keybag: PBES2, PBKDF2, AES-256-CBC, Iteration 2048, PRF hmacWithSHA256',
      )
      expect(shown).toContain(base64Of(stores.key.reveal()).slice(0, 60))
      expect(shown).toContain('friendlyName: tls')
    },
  )

  it.skipIf(!hasOpenssl)(
    'has a chain that OpenSSL verifies strictly by name and address (needs openssl)',
    async () => {
      const verify = (...words: readonly string[]): Promise<string> =>
        runTool(
          'openssl',
          ...['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', folder.path('authority.crt')],
          ...words,
          folder.path('chain.pem'),
        )
      expect(await verify('-verify_hostname', 'db1')).toContain('OK')
      expect(await verify('-verify_ip', '10.0.0.11')).toContain('OK')
      await expect(verify('-verify_hostname', 'db2')).rejects.toThrow('hostname mismatch')
    },
  )

  it('is read by muster without a finding', () => {
    const opened = openStores({ ...stores, ...locks, names: ['db1', '10.0.0.11'], now, warningDays: 30 })
    expect(opened).toMatchObject({
      ok: true,
      chain: stores.chain,
      authorities: [authority.certificate],
      warnings: [],
    })
    expect(opened.ok && opened.key.equals(stores.key)).toBe(true)
  })

  it('can be packed again with the same key and certificate', () => {
    const other = {
      alias: 'mysql',
      keystorePassword: generatePassword(),
      truststorePassword: generatePassword(),
    }
    const packed = packHostStores({ leaf: stores, authority, ...other })
    expect(packed.chain).toBe(stores.chain)
    const read = readStore(packed.keystore, other.keystorePassword)
    expect(read.ok && read.store.keys.map((key) => [key.alias, key.key.equals(stores.key)])).toEqual([
      ['mysql', true],
    ])
    expect(readStore(packed.keystore, locks.keystorePassword)).toMatchObject({
      ok: false,
      reason: 'wrong-password',
    })
  })

  it('has a unique password of 32 characters without special characters', () => {
    expect(generatePassword().reveal()).toMatch(/^[\w-]{32}$/)
    expect(generatePassword().equals(generatePassword())).toBe(false)
  })
})

describe('the stores of a host with key type RSA', () => {
  it.skipIf(!hasKeytool || !hasOpenssl)(
    'hold a key of 3072 bits that Java and OpenSSL read, signed by the same authority (needs keytool, openssl)',
    async () => {
      const made = await createHostStores({
        ...{ authority, ...host, ...locks, lifetimeDays: 365, now },
        keyType: 'rsa',
      })
      expect(createPrivateKey(made.key.reveal()).asymmetricKeyDetails).toMatchObject({ modulusLength: 3072 })
      const [store, chain] = [folder.path('rsa.p12'), folder.path('rsa.pem')]
      writeFileSync(store, made.keystore)
      writeFileSync(chain, made.chain)
      const password = locks.keystorePassword.reveal()
      const listed = await runTool('keytool', '-list', '-v', '-keystore', store, '-storepass', password)
      expect(listed).toContain('Subject Public Key Algorithm: 3072-bit RSA key')
      expect(listed).toContain('Key_Encipherment')
      const verified = await runTool('openssl', 'verify', '-CAfile', folder.path('authority.crt'), chain)
      expect(verified).toContain('OK')
      const opened = openStores({
        ...{ keystore: made.keystore, keystorePassword: locks.keystorePassword },
        ...{ truststore: made.truststore, truststorePassword: locks.truststorePassword },
        ...{ alias: 'tls', names: ['db1'], now, warningDays: 30 },
      })
      expect(opened).toMatchObject({ ok: true, warnings: [] })
    },
  )
})
