import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasKeytool, hasOpenssl, runTool } from '../../certificates/tools.ts'
import { type CertCluster, certCluster, certClusterText } from './cluster.ts'

let cluster: CertCluster
beforeAll(async () => {
  cluster = await certCluster()
})
afterAll(() => cluster.remove())

describe('muster cert csr', () => {
  it('writes a request for each host and nothing secret', async () => {
    const { code, stdout } = await cluster.cert(['csr', '--host', 'db*', '--out', 'requests'])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'wrote requests/db1.csr\nwrote requests/db2.csr\n' +
        'Each request contains all names of its host. Next, import the signed certificate: muster cert import --host HOST --from CHAIN\n',
    })
    const text = readFileSync(cluster.path('requests/db1.csr'), 'utf8')
    expect(text).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----\n[\s\S]*-----END CERTIFICATE REQUEST-----\n$/)
  })

  it('writes no request if a host has no key yet, and overwrites none', async () => {
    const all = await cluster.cert(['csr', '--out', 'all'])
    expect(all.code).toBe(3)
    expect(all.stderr).toContain('has no key of w1.\n  fix: Run `muster install` first: it creates the key')
    expect(existsSync(cluster.path('all'))).toBe(false)
    await cluster.cert(['csr', '--host', 'db1', '--out', 'twice'])
    writeFileSync(cluster.path('twice/db1.csr'), 'mine')
    const again = await cluster.cert(['csr', '--host', 'db1', '--out', 'twice'])
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining('twice/db1.csr already exists') })
    expect(readFileSync(cluster.path('twice/db1.csr'), 'utf8')).toBe('mine')
    expect((await cluster.cert(['csr', '--host', 'db1', '--out', 'twice', '--force'])).code).toBe(0)
  })

  it('writes no request if one exists, and with --force all or none', async () => {
    mkdirSync(cluster.path('half'))
    writeFileSync(cluster.path('half/db2.csr'), 'mine')
    const refused = await cluster.cert(['csr', '--host', 'db*', '--out', 'half'])
    expect(refused).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'error: half/db2.csr already exists and was not changed.\n  fix: To overwrite it, add --force.\n',
    })
    expect(readdirSync(cluster.path('half'))).toEqual(['db2.csr'])
    writeFileSync(cluster.path('half/db1.csr'), 'mine, too')
    expect((await cluster.cert(['csr', '--host', 'db*', '--out', 'half'])).stderr).toBe(
      'error: half/db1.csr and half/db2.csr already exist and were not changed.\n  fix: To overwrite them, add --force.\n',
    )
    const forced = await cluster.cert(['csr', '--host', 'db*', '--out', 'half', '--force'])
    expect(forced).toMatchObject({ code: 0, stderr: '' })
    for (const name of ['db1', 'db2']) {
      expect(readFileSync(cluster.path(`half/${name}.csr`), 'utf8')).toContain('BEGIN CERTIFICATE REQUEST')
    }
    rmSync(cluster.path('half/db2.csr'))
    mkdirSync(cluster.path('half/db2.csr'))
    writeFileSync(cluster.path('half/db1.csr'), 'mine')
    const folder = await cluster.cert(['csr', '--host', 'db*', '--out', 'half', '--force'])
    expect(folder).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('half/db2.csr is a directory.'),
    })
    expect(readFileSync(cluster.path('half/db1.csr'), 'utf8')).toBe('mine')
    expect(readdirSync(cluster.path('half'))).toEqual(['db1.csr', 'db2.csr'])
  })

  it('refuses hosts with keystores of the user, and an --out that is a file', async () => {
    const own =
      ', options: { java-tls-keystore-path: "host:/k.p12", java-truststore-path: "host:/t.p12", java-keystore-password: !env A, java-truststore-password: !env A }'
    writeFileSync(cluster.path('alpha.yaml'), certClusterText({ db2: own }))
    const yours = await cluster.cert(['csr', '--host', 'db2', '--out', 'x'])
    writeFileSync(cluster.path('alpha.yaml'), certClusterText())
    expect(yours).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('muster does not have their keys'),
    })
    const file = await cluster.cert(['csr', '--host', 'db1', '--out', 'alpha.yaml'])
    expect(file).toMatchObject({ code: 3, stdout: '' })
    expect(file.stderr).toMatch(/^error: alpha.yaml\/db1.csr .*\n {2}fix: .*\n$/)
  })
})

describe.skipIf(!hasKeytool || !hasOpenssl)('a certificate request (needs openssl and keytool)', () => {
  it('is signed by the key and contains all names, as openssl and keytool read it', async () => {
    await cluster.cert(['csr', '--host', 'db1', '--out', 'read'])
    const file = cluster.path('read/db1.csr')
    const text = await runTool('openssl', 'req', '-in', file, '-noout', '-text', '-verify')
    expect(text).toContain('verify OK')
    expect(text).toMatch(/Subject: CN ?= ?db1/)
    expect(text).toContain('id-ecPublicKey')
    const names =
      'DNS:db1, DNS:localhost, IP Address:10.0.0.11, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1'
    expect(text).toContain(names)
    expect(await runTool('keytool', '-printcertreq', '-file', file)).toContain('DNSName: db1')
  })
})
