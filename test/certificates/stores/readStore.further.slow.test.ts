import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { certificatesOf } from '../../../src/certificates/pem.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { foreignTools } from '../foreignTools.ts'
import { hasKeytool } from '../tools.ts'

const { keytool, store, makePair, open, expectKey, codes } = foreignTools()

describe.skipIf(!hasKeytool)('further stores that keytool made (needs keytool)', () => {
  it.each([
    ['as keytool writes it today', []],
    ['as keytool wrote it before Java 12', ['-J-Dkeystore.pkcs12.legacy']],
  ])('open as PKCS#12 with RSA, %s', async (title, given) => {
    const name = `${title}.p12`
    await makePair(name, '-storetype', 'PKCS12', '-keyalg', 'RSA', '-keysize', '3072', ...given)
    expectKey(open(name), 'rsa')
    expect(codes(open(name, new Secret('wrong')))).toEqual(['keystore-wrong-password'])
  })

  it.each(['PKCS12', 'JKS'])(
    'serve with several keys and a chain that another one signed, as %s',
    async (type) => {
      const name = `chain.${type}`
      const kind = ['-storetype', type, ...(type === 'JKS' ? ['-keypass', 'changeit'] : [])]
      const root = [
        '-genkeypair',
        '-alias',
        'root',
        '-dname',
        'CN=root',
        '-ext',
        'bc:c=ca:true',
        '-keyalg',
        'RSA',
      ]
      await keytool(...root, '-keysize', '2048', ...kind, ...store(name))
      const signed = type === 'JKS' ? ['-signer', 'root', '-signerkeypass', 'changeit'] : ['-signer', 'root']
      await makePair(name, '-keyalg', 'EC', ...signed, ...kind)
      const opened = open(name)
      expectKey(opened, 'ec')
      const chain = opened.ok ? (certificatesOf(opened.chain) ?? []) : []
      expect(chain.map(({ subject }) => subject)).toEqual(['CN=db1', 'CN=root'])
      expect(opened.ok && opened.authorities.map((pem) => new X509Certificate(pem).subject)).toEqual([
        'CN=root',
      ])
    },
  )
})
