import type {
  FoundCertificate,
  HostCertificates,
} from '../../src/deployment/certificates/hostCertificates.ts'

/** A certificate as a look finds it, without a chain behind it: what it says is all that a text needs. */
export function foundCertificate(changes: Partial<FoundCertificate['facts']> = {}): FoundCertificate {
  return {
    chain: '',
    facts: {
      subject: 'CN=db1',
      issuer: 'CN=muster alpha authority',
      names: ['db1', 'localhost', '10.0.0.11', '127.0.0.1', '::1'],
      serial: '51E94AC2ED07CEAD22C426FE485FAB79',
      fingerprint: Array.from({ length: 32 }, () => 'A1').join(':'),
      notBefore: '2026-03-09T12:00:00.000Z',
      notAfter: '2027-03-10T12:00:00.000Z',
      daysLeft: 365,
      ...changes,
    },
  }
}

/** Another certificate of the same host. */
export const otherCertificate = foundCertificate({
  names: ['db1'],
  fingerprint: Array.from({ length: 32 }, () => 'B2').join(':'),
  notAfter: '2026-03-08T12:00:00.000Z',
  daysLeft: -2,
})

/** A host that serves what lies on its disk; its replicator's API is switched off. */
export function hostCertificatesValue(changes: Partial<HostCertificates> = {}): HostCertificates {
  const onDisk = foundCertificate()
  return {
    host: 'db1',
    address: '10.0.0.11',
    state: 'up',
    origin: 'muster',
    onDisk,
    components: [
      { component: 'manager', listen: { address: '0.0.0.0', port: 8090 }, served: onDisk },
      { component: 'replicator', listen: null },
    ],
    ...changes,
  }
}
