import { X509Certificate } from 'node:crypto'

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Whether a text holds at least one PEM certificate and every one in it can be read. */
export function isReadableAuthority(text: string): boolean {
  const certificates = text.match(block) ?? []
  return certificates.length > 0 && certificates.every(isCertificate)
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== ''
  } catch {
    return false
  }
}
