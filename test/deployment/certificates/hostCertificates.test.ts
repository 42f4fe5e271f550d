import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../../src/certificates/authority.ts'
import { issueLeaf } from '../../../src/certificates/leaf.ts'
import { certificatesOf } from '../../../src/certificates/pem.ts'
import type { HostConfig } from '../../../src/config/model.ts'
import type { Component } from '../../../src/contracts/component.ts'
import { hostCertificates } from '../../../src/deployment/certificates/hostCertificates.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { TransportError } from '../../../src/transport/transportError.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { type Expectation, fakeTransport } from '../../support/fakeTransport.ts'

const now = new Date('2026-03-10T12:00:00Z')
const authority = await createAuthority({ cluster: 'alpha', now })
const chainOf = async () =>
  (await issueLeaf({ authority, names: ['db1'], addresses: [], lifetimeDays: 365, now })).chain
const chain = await chainOf()
const other = await chainOf()
const split = (pem: string): readonly string[] =>
  (certificatesOf(pem) ?? []).map((certificate) => certificate.toString())

const printOf = (pem: string): string | undefined => certificatesOf(pem)?.[0]?.fingerprint256

async function look(options: {
  readonly result?: Expectation['result']
  readonly host?: HostConfig
  readonly onDisk?: string | undefined
  readonly kept?: string
  readonly release?: string | undefined
}) {
  const { result, host = hostConfig(), kept = chain } = options
  const { onDisk, release } = { onDisk: chain, release: '1.0.0-abc', ...options }
  const transport = fakeTransport({ expect: [{ script: 'call', ...(result && { result }) }] })
  const installation = installationFacts({
    ...(release && { currentRelease: release }),
    ...(onDisk && { chain: onDisk }),
  })
  const found = await hostCertificates({
    surveyed: { host, facts: hostFacts({ installation }), transport, seconds: { connect: 0, facts: 0 } },
    expected: { origin: 'muster', chain: kept, authorities: [authority.certificate] },
    now,
  })
  return { found, transport }
}

/** Host db1, whose database at the usual port has to prove itself, and what a login there says. */
async function lookAtDatabase(logins: readonly object[] | undefined) {
  const host = hostConfig({
    database: { type: 'mariadb', host: '127.0.0.1', port: 3306, service: 'alpha' },
    databaseAuthority: '/etc/mysql/ca.pem',
  })
  const { replicator, ...none } = { replicator: { database: {} } }
  const settings = new Map<Component, unknown>(Object.entries(logins ? { replicator } : none) as never)
  const transport = fakeTransport({
    expect: [
      { script: 'try-databases', result: { stdout: JSON.stringify(logins) } },
      { script: 'call', result: answers() },
    ],
  })
  const installation = installationFacts({ currentRelease: '1.0.0-abc', chain, settings })
  const { database } = await hostCertificates({
    surveyed: { host, facts: hostFacts({ installation }), transport, seconds: { connect: 0, facts: 0 } },
    expected: { origin: 'muster', chain, authorities: [authority.certificate] },
    now,
  })
  return database
}

const answers = (...results: readonly object[]) => ({ stdout: JSON.stringify(results) })

describe('hostCertificates', () => {
  it('returns the served certificate of each enabled API in one round trip', async () => {
    const apis = hostConfig().apis.map((api) => ({ ...api, enabled: api.component !== 'connector' }))
    const asked: unknown[] = []
    const { found, transport } = await look({
      host: hostConfig({ apis }),
      result: (_, { stdin }) => {
        asked.push(...JSON.parse(stdin instanceof Secret ? stdin.reveal() : ''))
        return answers(
          { id: 'manager', status: 200, body: {}, certificates: split(chain) },
          {
            id: 'replicator',
            error: { code: 'certificate-untrusted', message: 'not trusted' },
            certificates: split(other),
          },
        )
      },
    })
    expect(transport.scripts).toHaveLength(1)
    expect(asked).toMatchObject([
      { id: 'manager', show: 'certificates', target: { authorities: [authority.certificate] } },
      { id: 'replicator', show: 'certificates' },
    ])
    expect(found).toMatchObject({ state: 'up', origin: 'muster' })
    expect(found.onDisk?.facts).toMatchObject({
      subject: 'CN=db1',
      issuer: 'CN=muster alpha authority',
      names: ['db1', 'localhost', '127.0.0.1', '::1'],
      notAfter: '2027-03-10T12:00:00.000Z',
      daysLeft: 365,
    })
    expect(found).not.toHaveProperty('expected')
    expect(found.components.map(({ served, listen }) => listen && served?.facts.fingerprint)).toEqual([
      printOf(chain),
      null,
      printOf(other),
    ])
  })

  it('returns the certificate that the next installation writes, if it differs', async () => {
    const { found } = await look({ kept: other, result: answers() })
    expect(found.expected?.facts.fingerprint).toBe(printOf(other))
  })

  it('reports why a served certificate is unknown', async () => {
    const { found } = await look({
      result: answers(
        { id: 'manager', error: { code: 'refused', message: 'nothing listens' }, certificates: [] },
        { id: 'connector', status: 200, body: {} },
      ),
    })
    expect(found.components.map(({ detail }) => detail)).toEqual([
      'nothing listens',
      'the release on the host is too old to report it; run muster install',
      'it was not called',
    ])
  })

  it('returns the certificate by which the own database proves itself at a login', async () => {
    const login = { option: 'replication-user', place: '127.0.0.1:3306' }
    const elsewhere = { option: 'monitor-user', place: '10.0.0.12:3306', certificate: chain }
    const database = await lookAtDatabase([elsewhere, { ...login, certificate: other }])
    expect(database).toMatchObject({ listen: { address: '127.0.0.1', port: 3306 } })
    expect(database?.served?.facts.fingerprint).toBe(printOf(other))
    const monitored = { option: 'monitor-user', place: '10.0.0.11:3306', certificate: other }
    expect((await lookAtDatabase([login, monitored]))?.served?.facts.fingerprint).toBe(printOf(other))
  })

  it('reports why the certificate of the own database is unknown', async () => {
    const login = { option: 'replication-user', place: '127.0.0.1:3306' }
    expect(await lookAtDatabase([{ ...login, error: 'It has expired.', unproven: true }])).toMatchObject({
      detail: 'It has expired.',
      unproven: true,
    })
    const bad = await lookAtDatabase([{ ...login, error: 'Nothing listens there.', certificate: 'hidden' }])
    expect(bad).toMatchObject({ detail: 'Nothing listens there.' })
    expect(bad).not.toHaveProperty('unproven')
    for (const [logins, detail] of [
      [[login], 'nothing that is installed has it prove itself yet; run muster install'],
      [[{ ...login, place: '10.0.0.12:3306' }], 'nothing that is installed logs in there'],
      [undefined, 'nothing that is installed logs in there'],
    ] as const) {
      expect(await lookAtDatabase(logins)).toEqual({ listen: { address: '127.0.0.1', port: 3306 }, detail })
    }
  })

  it('returns the certificate on disk if the calls fail', async () => {
    const { found } = await look({ result: { code: 127, stderr: 'node: not found\n' } })
    expect(found.onDisk?.facts.fingerprint).toBe(printOf(chain))
    expect(found.detail).toBe('calling the APIs on the host failed: node: not found')
  })

  it('returns not-installed without a release and rejects if the host is unreachable', async () => {
    expect((await look({ release: undefined })).found).toMatchObject({
      state: 'not-installed',
      components: [],
    })
    const lost = new TransportError({ host: 'db1', code: 'connection-lost', message: 'lost', fix: 'see' })
    await expect(look({ result: lost })).rejects.toBe(lost)
  })
})
