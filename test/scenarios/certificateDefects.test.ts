import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthority } from '../../src/certificates/authority.ts'
import { createKeystore } from '../../src/certificates/keystore.ts'
import { issueLeaf } from '../../src/certificates/leaf.ts'
import { createTruststore } from '../../src/certificates/truststore.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { words } from './support/operator.ts'
import { snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

const secret = 'a store password'
const password = new Secret(secret)
const now = new Date()
const daysAgo = (days: number): Date => new Date(now.getTime() - days * 24 * 60 * 60_000)

/** Each defect of the list in options.md ("Rules"): what the files hold, what the options say, and the code. */
type Defect = {
  readonly keystore?: () => Promise<Buffer> | Buffer
  readonly truststore?: () => Promise<Buffer> | Buffer
  readonly options?: Readonly<Record<string, string>>
  readonly code: string
}

describe.skipIf(process.platform !== 'linux')('a certificate of one’s own (needs Linux)', async () => {
  let world: World
  const authority = await createAuthority({ cluster: 'theirs', now: daysAgo(100) })
  const stranger = await createAuthority({ cluster: 'strangers', now })
  const issue = (names: readonly string[], lifetimeDays = 90, at = now) =>
    issueLeaf({ authority, names, addresses: ['127.0.0.2'], lifetimeDays, now: at })
  const own = await issue(['db1'])
  const keystore = (leaf = own): Buffer => createKeystore({ leaf, alias: 'tls', password })
  const truststore = (trusted = authority): Buffer =>
    createTruststore({ authorities: [trusted.certificate], password })
  const both = {
    'java-tls-keystore-path': 'keystore.p12',
    'java-truststore-path': 'truststore.p12',
    'java-keystore-password': '!env STORE_PASS',
    'java-truststore-password': '!env STORE_PASS',
  }
  const installed = () =>
    Object.entries(snapshot(world.host('db1').directory)).filter(([path]) => !path.startsWith('share/state/'))
  const put = (name: string, content: Buffer): void => {
    writeFileSync(join(world.operator.directory, name), content, { mode: 0o600 })
  }

  beforeAll(async () => {
    world = await createWorld(1)
    world.operator.env.STORE_PASS = secret
    world.operator.env.OTHER_PASS = 'not the one'
    mkdirSync(join(world.operator.directory, 'folder.p12'))
    const install = await world.muster('install')
    expect(install, words(install)).toMatchObject({ code: 0 })
  }, 180_000)
  afterAll(() => world?.close())

  const defects: Readonly<Record<string, Defect>> = {
    'that is missing': { options: { 'java-tls-keystore-path': 'none.p12' }, code: 'store-not-found' },
    'that cannot be read': {
      options: { 'java-tls-keystore-path': 'folder.p12' },
      code: 'keystore-missing',
    },
    'that another password opens': {
      options: { 'java-keystore-password': '!env OTHER_PASS' },
      code: 'keystore-wrong-password',
    },
    'without a private key': { keystore: () => truststore(), code: 'keystore-no-private-key' },
    'without the alias': { options: { 'java-tls-alias': 'other' }, code: 'keystore-alias-absent' },
    'that has expired': {
      keystore: async () => keystore(await issue(['db1'], 30, daysAgo(60))),
      code: 'keystore-expired',
    },
    'with the names of another host': {
      keystore: async () =>
        keystore(
          await issueLeaf({ authority, names: ['db9'], addresses: ['10.9.9.9'], lifetimeDays: 90, now }),
        ),
      code: 'keystore-names-do-not-cover',
    },
    'whose key is another': {
      keystore: async () => keystore({ key: (await issue(['db1'])).key, chain: own.chain }),
      code: 'keystore-key-mismatch',
    },
    'that the truststore does not trust': {
      truststore: () => truststore(stranger),
      code: 'truststore-does-not-trust',
    },
    'whose truststore another password opens': {
      options: { 'java-truststore-password': '!env OTHER_PASS' },
      code: 'truststore-wrong-password',
    },
    'without the other store': {
      options: { 'java-truststore-path': '', 'java-truststore-password': '' },
      code: 'one-store-only',
    },
  }

  it.each(Object.entries(defects))('%s is told, and nothing is changed', async (_, defect) => {
    put('keystore.p12', (await defect.keystore?.()) ?? keystore())
    put('truststore.p12', (await defect.truststore?.()) ?? truststore())
    const given = Object.entries({ 'log-level': 'debug', ...both, ...defect.options })
    world.describe({ defaults: Object.fromEntries(given.filter(([, value]) => value !== '')) })
    const before = installed()
    const outcome = await world.muster('install')
    expect(outcome.code, words(outcome)).toBe(1)
    expect(outcome.stderr).toMatch(
      new RegExp(`^error db1: .*\\[${defect.code}\\]$|error ${defect.code}$`, 'm'),
    )
    expect(outcome.stderr).toContain('fix: ')
    expect(words(outcome)).not.toContain(secret)
    expect(installed()).toEqual(before)
  })

  it('that expires soon and can be read by others is used with warnings, and ends what those runs wanted', async () => {
    put('keystore.p12', keystore(await issue(['db1'], 10)))
    put('truststore.p12', truststore())
    chmodSync(join(world.operator.directory, 'keystore.p12'), 0o644)
    world.describe({ defaults: { 'log-level': 'debug', ...both } })
    const told = await world.operator.muster(['validate', '--resolve-secrets', 'alpha.yaml'])
    expect(words(told)).toContain('warning keystore-world-readable')
    expect(words(told)).toContain('warning keystore-expires-soon')
    const install = await world.muster('install')
    expect(install, words(install)).toMatchObject({ code: 0 })
    expect(install.stdout).toContain('logins proved')
    expect(await world.muster('plan')).toMatchObject({ code: 0 })
  }, 180_000)
})
