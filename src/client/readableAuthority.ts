import { X509Certificate } from 'node:crypto'

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** What was judged last: the many calls of a run trust the same few. */
let judged: { readonly text: string; readonly readable: boolean }[] = []

/** Whether a text holds at least one PEM certificate and every one in it can be read. */
export function isReadableAuthority(text: string): boolean {
  const before = judged.find((one) => one.text === text)
  if (before !== undefined) return before.readable
  const certificates = text.match(block) ?? []
  const readable = certificates.length > 0 && certificates.every(isCertificate)
  judged = [{ text, readable }, ...judged.slice(0, 7)]
  return readable
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== ''
  } catch {
    return false
  }
}
