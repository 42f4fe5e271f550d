import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readStore } from '../../../src/certificates/stores/readStore.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hasKeytool, hasOpenssl, runTool } from '../../certificates/tools.ts'
import { type CertCluster, certCluster, certClusterText } from './cluster.ts'

let cluster: CertCluster
beforeAll(async () => {
  cluster = await certCluster()
})
afterAll(() => cluster.remove())

const modeOf = (name: string): number => statSync(cluster.path(name)).mode & 0o777
const written = (name: string): Buffer => readFileSync(cluster.path(name))
const authorityPrint = () => new X509Certificate(cluster.state.authority?.certificate ?? '').fingerprint256
const storeOf = (name: string, password: string) => {
  const read = readStore(written(name), new Secret(password))
  if (!read.ok) throw new Error(read.detail)
  return read.store
}

describe('muster cert export', () => {
  it('writes the authority as PEM, and explains how to use it', async () => {
    const { code, stdout } = await cluster.cert(['export', '--out', 'alpha.crt'])
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "wrote alpha.crt: the authority of alpha
        curl:     curl --cacert alpha.crt https://10.0.0.11:8090/api/v2/ping
        Node.js:  NODE_EXTRA_CA_CERTS=alpha.crt node …
        browsers: import it under authorities, to identify websites
      "
    `)
    expect(new X509Certificate(written('alpha.crt')).fingerprint256).toBe(authorityPrint())
    expect(modeOf('alpha.crt')).toBe(0o644)
  })

  it.each(['p12', 'jks'] as const)(
    'writes a truststore as %s, with the default password or another',
    async (format) => {
      const file = `trust.${format}`
      const { stdout } = await cluster.cert(['export', '--format', format, '--out', file])
      expect(stdout).toContain(`-Djavax.net.ssl.trustStorePassword=changeit`)
      const { trusted, keys } = storeOf(file, 'changeit')
      expect(trusted.map(({ alias }) => alias)).toEqual(['authority'])
      expect(trusted.map(({ certificate }) => new X509Certificate(certificate).fingerprint256)).toEqual([
        authorityPrint(),
      ])
      expect(keys).toEqual([])
      const argv = ['export', '--format', format, '--out', `other.${format}`, '--password-stdin']
      const other = await cluster.cert(argv, { typed: 'hunter2hunter2\n' })
      expect(other.code).toBe(0)
      expect(other.stdout).not.toMatch(/hunter2|changeit/)
      expect(storeOf(`other.${format}`, 'hunter2hunter2').trusted).toHaveLength(1)
    },
  )

  it('writes the chain of a host, and its key only with --with-key', async () => {
    expect((await cluster.cert(['export', '--host', 'db1', '--out', 'db1.pem'])).code).toBe(0)
    expect(written('db1.pem').toString()).toBe(cluster.state.hosts.get('db1')?.chain)
    const { stdout } = await cluster.cert(['export', '--host', 'db1', '--with-key', '--out', 'db1.key.pem'])
    expect(stdout).toContain('the private key of db1 with its certificate; only you can read it')
    expect(modeOf('db1.key.pem')).toBe(0o600)
    const text = written('db1.key.pem').toString()
    expect(new X509Certificate(text).checkPrivateKey(createPrivateKey(text))).toBe(true)
    const argv = [
      'export',
      '--host',
      'db1',
      '--with-key',
      '--format',
      'p12',
      '--out',
      'db1.p12',
      '--password-stdin',
    ]
    expect((await cluster.cert(argv, { typed: 'hunter2hunter2' })).code).toBe(0)
    expect(modeOf('db1.p12')).toBe(0o600)
    expect(
      storeOf('db1.p12', 'hunter2hunter2').keys.map(({ alias, chain }) => [alias, chain.length]),
    ).toEqual([['tls', 2]])
  })

  it('overwrites a file only with --force', async () => {
    writeFileSync(cluster.path('there'), 'mine')
    const { code, stderr } = await cluster.cert(['export', '--out', 'there'])
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'error: there already exists and was not changed.\n  fix: To overwrite it, add --force.\n',
    })
    expect(written('there').toString()).toBe('mine')
    // Before anybody is asked for a password.
    const store = await cluster.cert([
      'export',
      '--host',
      'db1',
      '--format',
      'p12',
      '--with-key',
      '--out',
      'there',
    ])
    expect(store.stderr).toContain('there already exists')
    const argv = ['export', '--host', 'db1', '--with-key', '--out', 'there', '--force']
    expect((await cluster.cert(argv)).code).toBe(0)
    expect(modeOf('there')).toBe(0o600)
  })

  it.each([
    [['--with-key'], "--with-key without --host would export the authority's key."],
    [['--host', 'db9'], "no host in alpha matches 'db9'\n  fix: The file has db1, db2 and w1."],
    [['--host', 'w1'], 'has no certificate of w1.\n  fix: Run `muster install` to create it.'],
    [['--host', 'db1', '--format', 'jks'], 'A key is not written as JKS: its protection there is weak.'],
    [
      ['--host', 'db1', '--format', 'p12'],
      'A PKCS#12 file of a host is its keystore, with the private key in it.',
    ],
    [['--format', 'der'], 'Allowed choices are pem, p12, jks'],
    [['--format', 'p12', '--password-file', 'none'], 'none'],
  ])('refuses %j with 3 and writes nothing', async (argv, message) => {
    const { code, stdout, stderr } = await cluster.cert(['export', '--out', 'refused', ...argv])
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(message)
    expect(() => written('refused')).toThrow('ENOENT')
  })

  it('refuses a short store password, a folder, and keystores of the user', async () => {
    const short = await cluster.cert(['export', '--format', 'p12', '--out', 'x', '--password-stdin'], {
      typed: 'short',
    })
    expect(short).toMatchObject({ code: 3, stderr: expect.stringContaining('is too short') })
    expect(await cluster.cert(['export', '--out', 'no/where'])).toMatchObject({
      code: 3,
      stderr:
        'error: no/where cannot be written: its folder does not exist.\n  fix: Create the folder first, or name another file.\n',
    })
    const own =
      ', options: { java-tls-keystore-path: "host:/k.p12", java-truststore-path: "host:/t.p12", java-keystore-password: !env A, java-truststore-password: !env A }'
    writeFileSync(cluster.path('alpha.yaml'), certClusterText({ db2: own }))
    const yours = await cluster.cert(['export', '--host', 'db2', '--out', 'x'])
    writeFileSync(cluster.path('alpha.yaml'), certClusterText())
    expect(yours).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('The stores of db2 are your own'),
    })
  })

  it('has nothing to export before the first installation', async () => {
    const fresh = await certCluster()
    writeFileSync(fresh.path('alpha.yaml'), certClusterText().replace('cluster: alpha', 'cluster: beta'))
    const { code, stderr } = await fresh.cert(['export', '--out', 'x'])
    await fresh.remove()
    expect(code).toBe(3)
    expect(stderr).toContain('Run `muster install` to create it')
  })
})

describe.skipIf(!hasKeytool || !hasOpenssl)('an exported file (needs keytool and openssl)', () => {
  it('is listed by keytool as a trusted certificate, and as a key', async () => {
    const list = (name: string, type: string, password: string) =>
      runTool('keytool', '-list', '-storetype', type, '-keystore', cluster.path(name), '-storepass', password)
    await cluster.cert(['export', '--format', 'jks', '--out', 'k.jks'])
    expect(await list('k.jks', 'JKS', 'changeit')).toMatch(/authority, .*trustedCertEntry/)
    await expect(list('k.jks', 'JKS', 'wrong-one')).rejects.toThrow('Command failed')
    const argv = [
      'export',
      '--host',
      'db2',
      '--with-key',
      '--format',
      'p12',
      '--out',
      'k.p12',
      '--password-stdin',
    ]
    await cluster.cert(argv, { typed: 'hunter2hunter2' })
    expect(await list('k.p12', 'PKCS12', 'hunter2hunter2')).toMatch(/tls, .*PrivateKeyEntry/)
  })

  it('verifies with openssl', async () => {
    await cluster.cert(['export', '--out', 'ca.pem', '--force'])
    await cluster.cert(['export', '--host', 'db2', '--out', 'leaf.pem', '--force'])
    const [ca, leaf] = [cluster.path('ca.pem'), cluster.path('leaf.pem')]
    expect(await runTool('openssl', 'verify', '-CAfile', ca, '-verify_hostname', 'db2', leaf)).toContain(
      ': OK',
    )
  })
})
