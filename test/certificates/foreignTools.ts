import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { type OpenedStores, openStores } from '../../src/certificates/checkStores.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { runTool, temporaryFolder } from './tools.ts'

/** What makes stores with keytool and openssl in a folder of one test file, and opens them. */
export function foreignTools() {
  const folder = temporaryFolder()
  const keytool = (...given: readonly string[]): Promise<string> => runTool('keytool', ...given)
  const openssl = (...given: readonly string[]): Promise<string> => runTool('openssl', ...given)
  const store = (name: string): readonly string[] => [
    '-keystore',
    folder.path(name),
    '-storepass',
    'changeit',
  ]
  const makePair = (name: string, ...given: readonly string[]): Promise<string> =>
    keytool(
      ...[
        '-genkeypair',
        '-alias',
        'TLS',
        '-dname',
        'CN=db1',
        '-ext',
        'san=dns:db1,ip:10.0.0.11',
        '-validity',
        '90',
      ],
      ...given,
      ...store(name),
    )

  const open = (name: string, secret = new Secret('changeit'), truststore?: string): OpenedStores =>
    openStores({
      keystore: readFileSync(folder.path(name)),
      keystorePassword: secret,
      ...(truststore === undefined ? {} : { truststore: readFileSync(folder.path(truststore)) }),
      alias: 'tls',
      names: ['db1', '10.0.0.11'],
      now: new Date(),
      warningDays: 30,
    })

  const expectKey = (opened: OpenedStores, type: string): void => {
    if (!opened.ok) throw new Error(JSON.stringify(opened.problems))
    const key = createPrivateKey(opened.key.reveal())
    expect(key.asymmetricKeyType).toBe(type)
    expect(new X509Certificate(opened.chain).checkPrivateKey(key)).toBe(true)
  }

  const codes = (opened: OpenedStores): readonly string[] =>
    opened.ok ? [] : opened.problems.map((problem) => problem.code)
  return { folder, keytool, openssl, store, makePair, open, expectKey, codes }
}
