import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withHost } from '../../../src/deployment/state/clusterState.ts'
import { saveState } from '../../../src/deployment/state/openState.ts'
import { outsideAuthority } from '../../certificates/outside.ts'
import { type CertCluster, certCluster } from './cluster.ts'

let cluster: CertCluster
let authorities: readonly (string | undefined)[]

/** One host has the certificate of an outside authority. */
beforeAll(async () => {
  cluster = await certCluster()
  const { folder: directory, state: before } = cluster
  const { certificate: outside } = await outsideAuthority('corp', new Date())
  const stores = before.hosts.get('db1')
  if (stores === undefined) throw new Error('no db1')
  const after = withHost(before, 'db1', { ...stores, outside })
  await saveState({ directory, cluster: 'alpha', before, after })
  authorities = [before.authority?.certificate, outside]
})
afterAll(() => cluster.remove())

const written = (name: string): string => readFileSync(cluster.path(name), 'utf8')

describe('muster cert export of several authorities', () => {
  it('writes all into one file, and explains --each for browsers', async () => {
    const { code, stdout } = await cluster.cert(['export', '--out', 'all.crt'])
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "wrote all.crt: the 2 authorities of alpha
        curl:     curl --cacert all.crt https://10.0.0.11:8090/api/v2/ping
        Node.js:  NODE_EXTRA_CA_CERTS=all.crt node …
        browsers: take one authority from a file: muster cert export --each --out all.crt
      "
    `)
    expect(written('all.crt')).toBe(authorities.join(''))
  })

  it('writes one file for each with --each', async () => {
    const { code, stdout } = await cluster.cert(['export', '--each', '--out', './each.pem.crt'])
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "wrote each.pem-1.crt: CN=muster alpha authority
      wrote each.pem-2.crt: CN=muster corp authority
        browsers: import each under authorities, to identify websites
      "
    `)
    expect([written('each.pem-1.crt'), written('each.pem-2.crt')]).toEqual(authorities)
    expect(existsSync(cluster.path('each.pem.crt'))).toBe(false)
  })

  it('writes no file if one exists, unless --force is given', async () => {
    writeFileSync(cluster.path('there-2.crt'), 'mine')
    expect(await cluster.cert(['export', '--each', '--out', 'there.crt'])).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'error: there-2.crt already exists and was not changed.\n  fix: To overwrite it, add --force.\n',
    })
    expect(existsSync(cluster.path('there-1.crt'))).toBe(false)
    expect(written('there-2.crt')).toBe('mine')
    expect((await cluster.cert(['export', '--each', '--out', 'there.crt', '--force'])).code).toBe(0)
    expect([written('there-1.crt'), written('there-2.crt')]).toEqual(authorities)
  })

  it.each([
    [['--format', 'p12'], '--each is for PEM: a truststore holds all authorities in one file.'],
    [['--host', 'db1'], "option '--each' cannot be used with option '--host <host>'"],
  ])('refuses --each with %j', async (argv, message) => {
    const { code, stderr } = await cluster.cert(['export', '--each', '--out', 'refused.crt', ...argv])
    expect(code).toBe(3)
    expect(stderr).toContain(message)
    expect(existsSync(cluster.path('refused-1.crt'))).toBe(false)
  })
})
