import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CertifiedServer, startCertifiedServer } from './support/certifiedServer.ts'

type Finding = { readonly id: string; readonly severity: string; readonly finding: string }

/** What testssl.sh says of every server, and is meant so here. */
const meant: Readonly<Record<string, string>> = {
  cert_revocation: 'an authority for one cluster has nobody who would publish a revocation list',
}

let server: CertifiedServer
let findings: readonly Finding[]

/** Protocols, ciphers, forward secrecy, what the server prefers and shows, and known weaknesses. */
const sections = ['--protocols', '--std', '--fs', '--server-defaults', '--server-preference', '--vulnerable']

beforeAll(async () => {
  server = await startCertifiedServer()
  const report = join(server.folder, 'testssl.json')
  const quiet = ['--quiet', '--color', '0', '--warnings', 'off', '--nodns', 'none']
  const trusted = ['--add-ca', server.authority, '--jsonfile', report]
  const code = await new Promise<unknown>((resolve) => {
    execFile('testssl', [...quiet, ...trusted, ...sections, `127.0.0.1:${server.port}`], (error) =>
      resolve(error?.code ?? 0),
    )
  })
  if (code === 'ENOENT') throw new Error('testssl is missing: apt-get install testssl.sh')
  findings = JSON.parse(readFileSync(report, 'utf8'))
  // It starts openssl some thousand times.
}, 1_800_000)
afterAll(() => server?.stop())

const of = (id: string): string | undefined => findings.find((it) => it.id === id)?.finding

it('testssl.sh finds TLS 1.2 and 1.3, and nothing older', () => {
  expect(['SSLv2', 'SSLv3', 'TLS1', 'TLS1_1'].map(of)).toEqual(Array(4).fill('not offered'))
  expect(of('TLS1_2')).toMatch(/^offered/)
  expect(of('TLS1_3')).toMatch(/^offered/)
})

it('testssl.sh trusts the certificate by the authority, for the address that it called', () => {
  expect(of('cert_chain_of_trust')).toMatch(/passed/)
  expect(of('cert_trust')).toMatch(/Ok/i)
})

it('testssl.sh finds no weak protocol, cipher or key, and no known weakness', () => {
  expect(findings.length).toBeGreaterThan(60)
  // WARN is not about the server: testssl.sh could not make that check here.
  const bad = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']
  expect(findings.filter(({ id, severity }) => bad.includes(severity) && !(id in meant))).toEqual([])
  const judged = ['cipherlist_AVERAGE', 'cipherlist_NULL', 'heartbleed', 'ROBOT', 'BREACH', 'cipher_order']
  expect(judged.filter((id) => of(id) === undefined)).toEqual([])
})
