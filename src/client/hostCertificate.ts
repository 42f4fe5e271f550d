import { X509Certificate } from 'node:crypto'
import { printable } from '../base/printable.ts'
import type { HostCertificate } from '../contracts/dashboard.ts'

/** Bounds of what a certificate of a host shows: a stranger may have made it. */
const limits = { names: 100, text: 300 }

const shown = (text: string): string => printable(text.slice(0, limits.text)).replaceAll('\n', ', ')

/** Describes the leaf of a host's certificates (PEM); null where there is none, or it cannot be read. */
export function hostCertificate(host: string, chain: readonly string[]): HostCertificate | null {
  const [pem] = chain
  if (pem === undefined) return null
  try {
    const leaf = new X509Certificate(pem)
    const names = (leaf.subjectAltName ?? '')
      .split(', ')
      .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    return {
      host,
      subject: shown(leaf.subject),
      issuer: shown(leaf.issuer),
      names: names
        .filter((name) => name !== '')
        .slice(0, limits.names)
        .map(shown),
      notBefore: new Date(leaf.validFrom).toISOString(),
      notAfter: new Date(leaf.validTo).toISOString(),
      fingerprint: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
    }
  } catch {
    return null
  }
}
