import { X509Certificate } from 'node:crypto'
import { rememberLast } from './rememberLast.ts'

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const remembered = rememberLast<boolean>()

/** Whether a text holds at least one PEM certificate and every one in it can be read. */
export const isReadableAuthority = (text: string): boolean =>
  remembered(text, () => {
    const certificates = text.match(block) ?? []
    return certificates.length > 0 && certificates.every(isCertificate)
  })

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== ''
  } catch {
    return false
  }
}
