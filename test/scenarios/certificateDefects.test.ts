import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthority } from '../../src/certificates/authority.ts'
import { createKeystore, createTruststore } from '../../src/certificates/hostStores.ts'
import { issueLeaf } from '../../src/certificates/leaf.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { endsWell, oneError } from '../support/endsWell.ts'
import { faultSite, passwordOption } from './support/faultSite.ts'
import { words } from './support/operator.ts'
import { createWorld, type World } from './support/world.ts'

const secret = 'a store password'
const password = new Secret(secret)
const now = new Date()
const daysAgo = (days: number): Date => new Date(now.getTime() - days * 24 * 60 * 60_000)

/** Each defect of the list in options.md ("Rules"): what the files hold, what the options say, and what is told. */
type Defect = {
  readonly keystore?: () => Promise<Buffer> | Buffer
  readonly truststore?: () => Promise<Buffer> | Buffer
  readonly options?: Readonly<Record<string, string>>
  readonly code: string
  /** Said of the host; where it is the YAML file's own mistake, its place is told instead. */
  readonly says?: RegExp
}

describe.skipIf(process.platform !== 'linux')('a keystore of the user (needs Linux)', async () => {
  let world: World
  let site: ReturnType<typeof faultSite>
  const authority = await createAuthority({ cluster: 'theirs', now: daysAgo(100) })
  const stranger = await createAuthority({ cluster: 'strangers', now })
  const issue = (names: readonly string[], lifetimeDays = 90, at = now) =>
    // A host is called by its own name as well.
    issueLeaf({ authority, names: [...names, hostname()], addresses: ['127.0.0.2'], lifetimeDays, now: at })
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
  const put = (name: string, content: Buffer): void => {
    writeFileSync(join(world.operator.directory, name), content, { mode: 0o600 })
  }
  const right = (): void => {
    put('keystore.p12', keystore())
    put('truststore.p12', truststore())
  }
  /** The file with both stores; an empty value leaves an option out. One component is enough: all judge alike. */
  const describeCluster = (options: Readonly<Record<string, string>> = {}): void => {
    const given = Object.entries({ ...both, ...passwordOption, ...options })
    const defaults = Object.fromEntries(given.filter(([, value]) => value !== ''))
    world.describe({ topology: 'replicator', defaults })
  }

  beforeAll(async () => {
    world = await createWorld(1)
    world.operator.env.STORE_PASS = secret
    world.operator.env.OTHER_PASS = 'not the one'
    mkdirSync(join(world.operator.directory, 'folder.p12'))
    site = faultSite(world, {
      describe: () => {
        right()
        describeCluster()
      },
      trusts: authority.certificate,
    })
    world.describe({ topology: 'replicator', defaults: passwordOption })
    const install = await world.muster('install')
    expect(install, words(install)).toMatchObject({ code: 0 })
  })
  afterAll(() => world?.close())

  const defects: Readonly<Record<string, Defect>> = {
    'that is missing': { options: { 'java-tls-keystore-path': 'none.p12' }, code: 'store-not-found' },
    'that cannot be read': {
      options: { 'java-tls-keystore-path': 'folder.p12' },
      code: 'keystore-missing',
      says: /^the keystore \S+folder\.p12 cannot be read$/,
    },
    'that is no store': {
      keystore: () => Buffer.from('not a keystore'),
      code: 'keystore-not-a-store',
      says: /^The keystore of db1 is neither PKCS#12 nor JKS: /,
    },
    'that another password opens': {
      options: { 'java-keystore-password': '!env OTHER_PASS' },
      code: 'keystore-wrong-password',
      says: /^The password does not open the keystore of db1: /,
    },
    'without a private key': {
      keystore: () => truststore(),
      code: 'keystore-no-private-key',
      says: /^The keystore of db1 has certificates but no private key\. /,
    },
    'without the alias': {
      options: { 'java-tls-alias': 'other' },
      code: 'keystore-alias-absent',
      says: /^The keystore of db1 has no private key named other; it has tls\. /,
    },
    'that has expired': {
      keystore: async () => keystore(await issue(['db1'], 30, daysAgo(60))),
      code: 'keystore-expired',
      says: /^The certificate of db1 expired on \d{4}-\d\d-\d\d\. /,
    },
    'with the names of another host': {
      keystore: async () =>
        keystore(
          await issueLeaf({ authority, names: ['db9'], addresses: ['10.9.9.9'], lifetimeDays: 90, now }),
        ),
      code: 'keystore-names-do-not-cover',
      says: /^The certificate of db1 is valid for db9.* not for db1/,
    },
    'whose key is another': {
      keystore: async () => keystore({ key: (await issue(['db1'])).key, chain: own.chain }),
      code: 'keystore-key-mismatch',
      says: /^The private key tls in the keystore of db1 does not match its certificate\. /,
    },
    'that the truststore does not trust': {
      truststore: () => truststore(stranger),
      code: 'truststore-does-not-trust',
      says: /^The truststore of db1 does not trust the keystore: /,
    },
    'whose truststore another password opens': {
      options: { 'java-truststore-password': '!env OTHER_PASS' },
      code: 'truststore-wrong-password',
      says: /^The password does not open the truststore of db1: /,
    },
    'without the other store': {
      options: { 'java-truststore-path': '', 'java-truststore-password': '' },
      code: 'one-store-only',
    },
  }

  it.each(Object.entries(defects))(
    '%s is reported, and the next run with the right one completes',
    async (_, defect) => {
      const { keystore: wrong, truststore: other, options = {}, code, says } = defect
      await endsWell({
        row: 'every certificate defect',
        site,
        begin: async () => {
          put('keystore.p12', (await wrong?.()) ?? keystore())
          put('truststore.p12', (await other?.()) ?? truststore())
          describeCluster(options)
          return () => {
            right()
            describeCluster()
          }
        },
        code: 1,
        told: (outcome) => {
          if (says === undefined) {
            expect(outcome.stderr).toMatch(new RegExp(`^alpha\\.yaml:\\d+:\\d+ error ${code}$`, 'm'))
            expect(outcome.stderr).toMatch(/^ {2}why: .+\n(?: {7}.+\n)* {2}fix: .+/m)
            expect(outcome.stderr).toMatch(/^1 error\. /m)
          } else oneError({ host: 'db1', what: says, code, fix: /\S/ })(outcome)
          expect(words(outcome)).not.toContain(secret)
        },
      })
    },
  )

  it('that expires soon and is readable by others is used with warnings', async () => {
    site.changeConfiguration()
    put('keystore.p12', keystore(await issue(['db1'], 10)))
    chmodSync(join(world.operator.directory, 'keystore.p12'), 0o644)
    const told = await world.operator.muster(['validate', '--resolve-secrets', 'alpha.yaml'])
    expect(words(told)).toContain('warning keystore-world-readable')
    expect(words(told)).toContain('warning keystore-expires-soon')
    const install = await world.muster('install')
    expect(install, words(install)).toMatchObject({ code: 0 })
    expect(install.stdout).toContain('logins verified')
    expect(await world.muster('plan')).toMatchObject({ code: 0 })
  })
})
