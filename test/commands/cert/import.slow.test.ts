import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readState } from '../../../src/deployment/state/openState.ts'
import { outsideAuthority, outsideChain } from '../../certificates/outside.ts'
import { hasOpenssl, runTool } from '../../certificates/tools.ts'
import { type CertCluster, certCluster } from './cluster.ts'

let cluster: CertCluster
const now = new Date()
beforeEach(async () => {
  cluster = await certCluster(now)
})
afterEach(() => cluster.remove())

const stateNow = async () => (await readState({ directory: cluster.folder, cluster: 'alpha' }))?.state

/** A chain for a host's own key, and its authority. */
async function chainFor(host: string, address: string) {
  const root = await outsideAuthority('corp', now)
  const key = cluster.state.hosts.get(host)?.key
  if (key === undefined) throw new Error('no key')
  return { chain: outsideChain({ by: root, key, name: host, address, now }), root: root.certificate }
}

describe('muster cert import', () => {
  it('saves the certificate beside its key, and the authority to be trusted', async () => {
    const { chain, root } = await chainFor('db1', '10.0.0.11')
    writeFileSync(cluster.path('chain.pem'), chain)
    const { code, stdout, stderr } = await cluster.cert(['import', '--host', 'db1', '--from', 'chain.pem'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.replace(/until \S+/, 'until …')).toMatchInlineSnapshot(`
      "imported the certificate of db1, signed by CN=muster corp authority, until …
      muster install deploys it and makes all hosts trust its authority; muster cert renew does not renew it.
      Clients must trust this authority before the host serves the certificate: muster cert export
      "
    `)
    const state = await stateNow()
    expect(state?.hosts.get('db1')).toMatchObject({ chain, outside: root })
    expect(state?.hosts.get('db1')?.key.reveal()).toBe(cluster.state.hosts.get('db1')?.key.reveal())
    expect(state?.hosts.get('db2')).not.toHaveProperty('outside')
    await cluster.cert(['export', '--out', 'all.crt'])
    expect(readFileSync(cluster.path('all.crt'), 'utf8')).toBe(
      `${cluster.state.authority?.certificate}${root}`,
    )
    // The same once more changes nothing that counts.
    expect((await cluster.cert(['import', '--host', 'db1', '--from', 'chain.pem'])).code).toBe(0)
    expect((await stateNow())?.hosts.get('db1')).toMatchObject({ chain, outside: root })
  })

  it('refuses unusable certificates, and leaves the state unchanged', async () => {
    const { chain } = await chainFor('db2', '10.0.0.12')
    writeFileSync(cluster.path('chain.pem'), chain)
    const { code, stdout, stderr } = await cluster.cert(['import', '--host', 'db1', '--from', 'chain.pem'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^error: None of the certificates .* belongs to the key of db1 \[outside-other-key\]\n {2}fix: /,
    )
    expect((await stateNow())?.hosts.get('db1')?.chain).toBe(cluster.state.hosts.get('db1')?.chain)
  })

  it.each([
    [['--host', 'db9', '--from', 'alpha.yaml'], "no host in alpha matches 'db9'"],
    [['--host', 'w1', '--from', 'alpha.yaml'], 'has no key of w1 for this certificate.'],
    [['--host', 'db1', '--from', 'none.pem'], 'The chain cannot be read from'],
    [['--host', 'db1'], "required option '--from <path>' not specified"],
  ])('refuses %j with 3', async (argv, message) => {
    const { code, stderr } = await cluster.cert(['import', ...argv])
    expect(code).toBe(3)
    expect(stderr).toContain(message)
  })
})

describe.skipIf(!hasOpenssl)('a certificate request that openssl signs (needs openssl)', () => {
  it('can be imported as a chain', async () => {
    await cluster.cert(['csr', '--host', 'db1', '--out', '.'])
    const [key, ca, csr, crt] = ['ca.key', 'ca.crt', 'db1.csr', 'db1.crt'].map(cluster.path)
    const subject = ['-subj', '/O=Corp/CN=Corp Root', '-addext', 'basicConstraints=critical,CA:TRUE']
    await runTool(
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'rsa:3072',
      '-nodes',
      '-keyout',
      `${key}`,
      '-out',
      `${ca}`,
      '-days',
      '30',
      ...subject,
    )
    await runTool(
      'openssl',
      'x509',
      '-req',
      '-in',
      `${csr}`,
      '-CA',
      `${ca}`,
      '-CAkey',
      `${key}`,
      '-days',
      '10',
      '-copy_extensions',
      'copy',
      '-out',
      `${crt}`,
    )
    const [leaf, root] = [crt, ca].map((file) => readFileSync(`${file}`, 'utf8'))
    writeFileSync(cluster.path('chain.pem'), `${leaf}${root}`)
    const later = { now: () => new Date(Date.now() + 60_000) }
    const { code, stdout, stderr } = await cluster.cert(
      ['import', '--host', 'db1', '--from', 'chain.pem'],
      later,
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('signed by O=Corp, CN=Corp Root')
  })
})
