import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { HostCertificates } from '../../../src/deployment/certificates/hostCertificates.ts'
import { certificatesJson, certificatesText } from '../../../src/output/deployment/certificates.ts'
import { foundCertificate, hostCertificatesValue, otherCertificate } from '../../support/certificateValues.ts'

const authority = foundCertificate({
  subject: 'CN=muster alpha authority',
  names: [],
  notAfter: '2036-03-09T12:00:00.000Z',
  daysLeft: 3652,
}).facts
const lost = (changes: Partial<HostCertificates>): HostCertificates => {
  const { onDisk: _, ...rest } = hostCertificatesValue({ ...changes, components: [] })
  return rest
}
const listen = { address: '10.0.0.11', port: 8090 }
const many = [
  hostCertificatesValue({
    components: [
      { component: 'manager', listen, served: otherCertificate },
      { component: 'connector', listen: { ...listen, port: 8096 }, detail: 'nothing listens there.' },
    ],
    expected: foundCertificate({ fingerprint: Array.from({ length: 32 }, () => 'C3').join(':') }),
  }),
  hostCertificatesValue({ host: 'db2', address: '10.0.0.12', origin: 'yours' }),
  lost({ host: 'db3', state: 'unreachable', detail: 'db3 did not answer within 6 s' }),
  lost({ host: 'db4', state: 'not-installed' }),
]
const text = (width: number, hosts = many) =>
  `\n${certificatesText({ authority, hosts, colour: false, width })}`

describe('certificatesText', () => {
  it('is short if all certificates match', () => {
    expect(text(120, [hostCertificatesValue()])).toMatchInlineSnapshot(`
      "
      Authority CN=muster alpha authority: until 2036-03-09, 3652 days left, SHA-256 A1:A1:A1:A1:A1:A1:A1:A1…

      HOST  WHERE          SUBJECT  ISSUER                     UNTIL       DAYS  SHA-256
      db1   on disk        CN=db1   CN=muster alpha authority  2027-03-10   365  A1:A1:A1:A1:A1:A1:A1:A1
            manager :8090  as on disk
            replicator     API disabled

      VALID FOR
      db1  db1, localhost, 10.0.0.11, 127.0.0.1, ::1
      "
    `)
  })

  it('shows the served, stored and pending certificates, each once', () => {
    expect(text(120)).toMatchInlineSnapshot(`
      "
      Authority CN=muster alpha authority: until 2036-03-09, 3652 days left, SHA-256 A1:A1:A1:A1:A1:A1:A1:A1…

      HOST  WHERE            SUBJECT  ISSUER                     UNTIL       DAYS  SHA-256
      db1   on disk          CN=db1   CN=muster alpha authority  2027-03-10   365  A1:A1:A1:A1:A1:A1:A1:A1
            manager :8090    CN=db1   CN=muster alpha authority  2026-03-08    -2  B2:B2:B2:B2:B2:B2:B2:B2
            connector :8096  not read
            next install     CN=db1   CN=muster alpha authority  2027-03-10   365  C3:C3:C3:C3:C3:C3:C3:C3
      db2   on disk (yours)  CN=db1   CN=muster alpha authority  2027-03-10   365  A1:A1:A1:A1:A1:A1:A1:A1
            manager :8090    as on disk
            replicator       API disabled
      db3                    unreachable
      db4                    not installed

      VALID FOR
      db1 A1:A1:A1:A1:A1:A1:A1:A1  db1, localhost, 10.0.0.11, 127.0.0.1, ::1
      db1 B2:B2:B2:B2:B2:B2:B2:B2  db1
      db1 C3:C3:C3:C3:C3:C3:C3:C3  db1, localhost, 10.0.0.11, 127.0.0.1, ::1
      db2                          db1, localhost, 10.0.0.11, 127.0.0.1, ::1

      db1: connector: nothing listens there.
      db1: manager: the served certificate differs from the one on disk; see the log for the reason, and run muster restart to
        reload it
      db3: db3 did not answer within 6 s
      db1: the state directory has a different certificate, which the next muster install deploys
      db2: your own keystore, never renewed by muster
      "
    `)
  })

  it('writes a paragraph for each certificate on a narrow terminal', () => {
    const narrow = text(50)
    expect(narrow).toMatchInlineSnapshot(`
      "
      Authority CN=muster alpha authority: until
        2036-03-09, 3652 days left, SHA-256
        A1:A1:A1:A1:A1:A1:A1:A1…

      db1 on disk
        CN=db1, issued by CN=muster alpha authority
        until 2027-03-10, 365 days left
        SHA-256 A1:A1:A1:A1:A1:A1:A1:A1…
      db1 manager :8090
        CN=db1, issued by CN=muster alpha authority
        until 2026-03-08, expired 2 days ago
        SHA-256 B2:B2:B2:B2:B2:B2:B2:B2…
      db1 connector :8096: not read
      db1 next install
        CN=db1, issued by CN=muster alpha authority
        until 2027-03-10, 365 days left
        SHA-256 C3:C3:C3:C3:C3:C3:C3:C3…
      db2 on disk (yours)
        CN=db1, issued by CN=muster alpha authority
        until 2027-03-10, 365 days left
        SHA-256 A1:A1:A1:A1:A1:A1:A1:A1…
      db2 manager :8090: as on disk
      db2 replicator: API disabled
      db3: unreachable
      db4: not installed

      VALID FOR
      db1 A1:A1:A1:A1:A1:A1:A1:A1: db1, localhost,
        10.0.0.11, 127.0.0.1, ::1
      db1 B2:B2:B2:B2:B2:B2:B2:B2: db1
      db1 C3:C3:C3:C3:C3:C3:C3:C3: db1, localhost,
        10.0.0.11, 127.0.0.1, ::1
      db2: db1, localhost, 10.0.0.11, 127.0.0.1, ::1

      db1: connector: nothing listens there.
      db1: manager: the served certificate differs from
        the one on disk; see the log for the reason, and
        run muster restart to reload it
      db3: db3 did not answer within 6 s
      db1: the state directory has a different
        certificate, which the next muster install
        deploys
      db2: your own keystore, never renewed by muster
      "
    `)
    expect(Math.max(...narrow.split('\n').map((line) => line.length))).toBeLessThanOrEqual(50)
  })

  it('shows by which certificate the database of a host proves itself, or why it does not', () => {
    const listen = { address: '127.0.0.1', port: 3306 }
    const served = foundCertificate({
      subject: 'CN=db1',
      issuer: 'CN=databases',
      names: ['db1'],
      fingerprint: 'D4:D4',
    })
    const hosts = [
      hostCertificatesValue({ database: { listen, served } }),
      hostCertificatesValue({
        host: 'db2',
        database: { listen, detail: 'The certificate is for db1.', unproven: true },
      }),
      hostCertificatesValue({ host: 'db3', database: { listen, detail: 'Nothing listens there.' } }),
    ]
    expect(text(120, hosts)).toMatchInlineSnapshot(`
      "
      Authority CN=muster alpha authority: until 2036-03-09, 3652 days left, SHA-256 A1:A1:A1:A1:A1:A1:A1:A1…

      HOST  WHERE           SUBJECT  ISSUER                     UNTIL       DAYS  SHA-256
      db1   on disk         CN=db1   CN=muster alpha authority  2027-03-10   365  A1:A1:A1:A1:A1:A1:A1:A1
            manager :8090   as on disk
            replicator      API disabled
            database :3306  CN=db1   CN=databases               2027-03-10   365  D4:D4
      db2   on disk         CN=db1   CN=muster alpha authority  2027-03-10   365  A1:A1:A1:A1:A1:A1:A1:A1
            manager :8090   as on disk
            replicator      API disabled
            database :3306  did not prove itself
      db3   on disk         CN=db1   CN=muster alpha authority  2027-03-10   365  A1:A1:A1:A1:A1:A1:A1:A1
            manager :8090   as on disk
            replicator      API disabled
            database :3306  not read

      VALID FOR
      db1 A1:A1:A1:A1:A1:A1:A1:A1  db1, localhost, 10.0.0.11, 127.0.0.1, ::1
      db1 D4:D4                    db1
      db2                          db1, localhost, 10.0.0.11, 127.0.0.1, ::1
      db3                          db1, localhost, 10.0.0.11, 127.0.0.1, ::1

      db2: database: The certificate is for db1.
      db3: database: Nothing listens there.
      "
    `)
  })

  it('escapes control characters of certificates', () => {
    const onDisk = foundCertificate({
      subject: 'CN=\u001b[2Jdb1',
      issuer: 'CN=\u0007',
      names: ['\u001b]0;x'],
    })
    const shown = certificatesText({ hosts: [hostCertificatesValue({ onDisk })], colour: false, width: 120 })
    expect(shown).not.toMatch(/[^\P{Cc}\n]/u)
  })

  it('keeps the columns with colours', () => {
    const painted = certificatesText({ authority, hosts: many, colour: true, width: 120 })
    expect(painted).toContain('\u001b[31m')
    expect(`\n${stripVTControlCharacters(painted)}`).toBe(text(120))
  })
})

describe('certificatesJson', () => {
  it('has all facts and no key or chain', () => {
    const json = JSON.parse(certificatesJson({ cluster: 'alpha', authority, hosts: many }))
    expect(json.authority).toEqual(authority)
    expect(json.hosts[0]).toMatchObject({
      host: 'db1',
      onDisk: foundCertificate().facts,
      components: [
        { component: 'manager', listen, served: otherCertificate.facts, asOnDisk: false },
        { component: 'connector', served: null, detail: 'nothing listens there.' },
      ],
    })
    const database = { listen, served: otherCertificate }
    const [one] = JSON.parse(
      certificatesJson({ cluster: 'alpha', hosts: [hostCertificatesValue({ database })] }),
    ).hosts
    expect(one.database).toEqual({ listen, served: otherCertificate.facts })
    expect(json.hosts[2]).toMatchObject({ host: 'db3', state: 'unreachable', components: [] })
    expect(JSON.stringify(json)).not.toContain('chain')
  })
})
