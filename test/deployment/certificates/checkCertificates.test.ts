import { describe, expect, it } from 'vitest'
import { type Authority, createAuthority } from '../../../src/certificates/authority.ts'
import { leafFacts } from '../../../src/certificates/certificateFacts.ts'
import { issueLeaf } from '../../../src/certificates/leaf.ts'
import {
  checkCertificates,
  type InspectedHost,
} from '../../../src/deployment/certificates/checkCertificates.ts'
import type { FoundCertificate } from '../../../src/deployment/certificates/hostCertificates.ts'
import { StepError } from '../../../src/deployment/stepError.ts'
import type { Span } from '../../../src/diagnostics/diagnostic.ts'
import type { FailureCode } from '../../../src/diagnostics/failures.ts'
import { hostConfig, hostFacts } from '../../support/deploymentValues.ts'

const now = new Date('2026-03-10T12:00:00Z')
const later = (days: number): Date => new Date(now.getTime() + days * 86_400_000)
const authority = await createAuthority({ cluster: 'alpha', now })
const other = await createAuthority({ cluster: 'beta', now })

async function found(
  changes: { by?: Authority; names?: readonly string[]; days?: number; made?: Date } = {},
): Promise<FoundCertificate> {
  const { by = authority, names = ['db1', '10.0.0.11'], days = 365, made = now } = changes
  const { chain } = await issueLeaf({
    authority: by,
    names: names.filter((name) => /[a-z]/.test(name)),
    addresses: names.filter((name) => !/[a-z]/.test(name)),
    lifetimeDays: days,
    now: made,
  })
  const facts = leafFacts(chain, now)
  if (facts === undefined) throw new Error('no leaf')
  return { chain, facts }
}

const good = await found()
const second = await found({ names: ['db2', '10.0.0.12'] })

/** Host db1, reached, with what lies there, which its manager serves; its connector is off. */
const looked = (changes: {
  readonly name?: string
  readonly onDisk?: FoundCertificate | undefined
  readonly served?: FoundCertificate
  readonly certificates?: Partial<InspectedHost['certificates']>
  readonly expected?: Partial<NonNullable<InspectedHost['known']>['expected']>
}): InspectedHost => {
  const { name = 'db1', certificates, expected } = changes
  const { onDisk } = { onDisk: good, ...changes }
  const served = changes.served ?? onDisk
  const address = name === 'db1' ? '10.0.0.11' : '10.0.0.12'
  return {
    host: hostConfig({ name, address }),
    certificates: {
      host: name,
      address,
      state: 'up',
      origin: 'muster',
      ...(onDisk && { onDisk }),
      components: [
        {
          component: 'manager',
          listen: { address: '127.0.0.1', port: 8090 },
          ...(served ? { served } : { detail: 'nothing listens there.' }),
        },
        { component: 'connector', listen: null },
      ],
      ...certificates,
    },
    known: {
      facts: hostFacts({ hostname: name }),
      expected: { origin: 'muster', authorities: [authority.certificate], ...expected },
    },
  }
}

const at = (host: string | undefined): Span => ({
  file: `${host ?? 'hosts'}.yaml`,
  line: 1,
  column: 1,
  endLine: 1,
  endColumn: 2,
})
const told = (hosts: readonly InspectedHost[], when = now): readonly string[] =>
  checkCertificates({ hosts, now: when, at }).map(
    ({ code, severity, message, span }) => `${span.file} ${severity} ${code}: ${message}`,
  )

describe('checkCertificates', () => {
  it('reports nothing for valid certificates', () => {
    expect(told([looked({}), looked({ name: 'db2', onDisk: second })])).toEqual([])
  })

  it('reports expiry from the day that tls-warning-days sets', async () => {
    const inDays = async (days: number) => told([looked({ onDisk: await found({ days }) })])
    expect(await inDays(30)).toEqual([])
    expect(await inDays(29)).toEqual([
      'db1.yaml warning certificate-expires-soon: The certificate of db1 expires on 2026-04-08, in 29 days.',
    ])
    expect(told([looked({ onDisk: await found({ days: 1, made: later(-2) }) })])).toEqual([
      'db1.yaml error certificate-expired: The certificate of db1 expired on 2026-03-09.',
    ])
    expect(told([looked({ onDisk: await found({ made: later(3) }) })])).toEqual([
      'db1.yaml error certificate-not-yet-valid: The certificate of db1 is valid only from 2026-03-12.',
    ])
  })

  it('reports missing names', async () => {
    expect(told([looked({ onDisk: await found({ names: ['db1'] }) })])).toEqual([
      'db1.yaml error certificate-names: The certificate of db1 is not valid for 10.0.0.11.',
    ])
  })

  it('reports an untrusted authority', async () => {
    expect(told([looked({ onDisk: await found({ by: other }) })])).toEqual([
      'db1.yaml error certificate-untrusted: The certificate of db1 does not chain to the authority CN=muster alpha authority; its issuer is CN=muster beta authority.',
    ])
  })

  it('follows the chain link by link and ignores other certificates in it', async () => {
    const stranger = await found({ by: other })
    const mixed = { ...stranger, chain: stranger.chain + good.chain }
    expect(told([looked({ onDisk: mixed })])[0]).toContain('error certificate-untrusted')
  })

  it('checks a served certificate that differs from the one on disk', async () => {
    const served = await found({ days: 1, made: later(-2) })
    expect(told([looked({ served })])).toEqual([
      'db1.yaml error certificate-expired: The certificate that manager of db1 serves expired on 2026-03-09.',
      'db1.yaml error certificate-not-served: The manager of db1 serves a different certificate from the one on disk.',
    ])
  })

  it('reports a database whose certificate ends soon, or does not prove it', async () => {
    const listen = { address: '127.0.0.1', port: 3306 }
    const inDays = async (days: number, made = now) =>
      told([
        looked({ certificates: { database: { listen, served: await found({ by: other, days, made }) } } }),
      ])
    expect(await inDays(30)).toEqual([])
    expect(await inDays(29)).toEqual([
      'db1.yaml warning certificate-expires-soon: The certificate of the database of db1 expires on 2026-04-08, in 29 days.',
    ])
    expect(await inDays(1, later(-2))).toEqual([
      'db1.yaml error certificate-expired: The certificate of the database of db1 expired on 2026-03-09.',
    ])
    const [unproven] = checkCertificates({
      hosts: [looked({ certificates: { database: { listen, detail: 'It is for db2.', unproven: true } } })],
      now,
      at,
    })
    expect(unproven).toMatchObject({
      code: 'certificate-database',
      severity: 'error',
      message: 'The database of db1 did not prove itself: It is for db2.',
      fix: expect.stringContaining(
        'On db1, `openssl s_client -starttls mysql -connect 127.0.0.1:3306` shows',
      ),
    })
    expect(told([looked({ certificates: { database: { listen, detail: 'it is off.' } } })])).toEqual([
      'db1.yaml error certificate-database: The certificate of the database of db1 is unknown: it is off.',
    ])
  })

  it('reports hosts that do not trust each other if no authority is known', async () => {
    const stranger = await found({ by: other, names: ['db2', '10.0.0.12'] })
    const unknown = { authorities: [] }
    const hosts = [
      looked({ expected: unknown }),
      looked({ name: 'db2', onDisk: stranger, expected: unknown }),
    ]
    expect(told(hosts)).toEqual([
      'db1.yaml error certificate-other-authority: The certificate of db1 is not trusted by db2.',
      'db2.yaml error certificate-other-authority: The certificate of db2 is not trusted by db1.',
    ])
    const both = { authorities: [authority.certificate, other.certificate] }
    expect(
      told([looked({ expected: both }), looked({ name: 'db2', onDisk: stranger, expected: both })]),
    ).toEqual([])
  })

  it('reports an expiring authority once for all hosts', () => {
    const hosts = [looked({}), looked({ name: 'db2', onDisk: second })]
    const authorities = (when: Date) => told(hosts, when).filter((line) => line.includes(' authority-'))
    expect(authorities(later(3652 - 31))).toEqual([])
    expect(authorities(later(3652 - 29))).toEqual([
      'hosts.yaml warning authority-expires-soon: The authority CN=muster alpha authority expires on 2036-03-09, in 29 days.',
    ])
    const beside = { authorities: [authority.certificate, other.certificate] }
    expect(told([looked({ expected: beside })], later(3652 - 29)).join()).not.toContain('beta')
    expect(authorities(later(3653))).toEqual([
      'hosts.yaml error authority-expired: The authority CN=muster alpha authority expired on 2036-03-09.',
    ])
  })

  it('reports hosts that are unreachable or not installed', () => {
    const lost = (state: 'unreachable' | 'failed' | 'not-installed') =>
      looked({ certificates: { state, detail: 'it is off', components: [] } })
    expect(told([lost('unreachable')])).toEqual([
      'db1.yaml error certificate-host-unreachable: db1 is unreachable: it is off',
    ])
    expect(told([lost('failed')])).toEqual([
      'db1.yaml error certificate-host-failed: db1 could not be checked: it is off',
    ])
    expect(told([lost('not-installed')])).toEqual([
      'db1.yaml warning certificate-not-installed: db1 is in the file, but nothing is installed there.',
    ])
    expect(told([looked({ onDisk: undefined })])).toEqual([
      'db1.yaml error certificate-missing: db1 is installed, but no certificate can be read from its disk.',
      'db1.yaml error certificate-not-seen: The manager of db1 presents no certificate: nothing listens there.',
    ])
    expect(told([looked({ certificates: { expected: second } })])).toEqual([
      'db1.yaml warning certificate-pending: db1 does not have the new certificate from the state directory yet.',
    ])
  })

  it('reports stores of the file that install would refuse, once', () => {
    const problem = (code: FailureCode) =>
      new StepError({ host: 'db1', code, message: 'they are bad.', fix: 'Mend them.' })
    const own = (code: FailureCode) => ({ origin: 'yours' as const, authorities: [], problem: problem(code) })
    expect(told([looked({ expected: own('keystore-wrong-password') })])).toEqual([
      'db1.yaml error certificate-keystore: The stores named in the file for db1 cannot be used: they are bad.',
    ])
    expect(told([looked({ expected: own('keystore-expired') })])).toEqual([])
  })
})
