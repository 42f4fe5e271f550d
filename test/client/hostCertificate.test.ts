import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../src/certificates/authority.ts'
import { issueLeaf } from '../../src/certificates/leaf.ts'
import { hostCertificate } from '../../src/client/hostCertificate.ts'

const now = new Date('2026-01-02T03:04:05Z')

async function leafFor(
  names: readonly string[],
  addresses: readonly string[] = [],
): Promise<readonly string[]> {
  const authority = await createAuthority({ cluster: 'alpha', now })
  const { chain } = await issueLeaf({ authority, names, addresses, lifetimeDays: 2, now })
  return [chain, authority.certificate]
}

describe('the certificate of a host on the page', () => {
  it('is the leaf, with its names and addresses', async () => {
    const chain = await leafFor(['db1', 'db1.example'], ['10.0.0.1', '::1'])
    const leaf = new X509Certificate(chain[0] ?? '')
    expect(hostCertificate('db1', chain)).toEqual({
      host: 'db1',
      subject: leaf.subject,
      issuer: leaf.issuer.replaceAll('\n', ', '),
      names: expect.arrayContaining(['db1', 'db1.example', '10.0.0.1', '0:0:0:0:0:0:0:1']),
      notBefore: new Date(leaf.validFrom).toISOString(),
      notAfter: new Date(leaf.validTo).toISOString(),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(leaf.issuer).toContain('alpha')
  })

  it('is none where there is no certificate, or text that is none', () => {
    for (const chain of [[], [''], ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']])
      expect(hostCertificate('db1', chain)).toBeNull()
  })

  it('shows a hundred names of a stranger at most', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `db${index}`)
    const shown = hostCertificate('db1', await leafFor(names))?.names
    expect(shown).toEqual(names.slice(0, 100))
  })
})
