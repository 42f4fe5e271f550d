import { createPrivateKey, X509Certificate } from 'node:crypto'
import { Secret } from '../secrets/secret.ts'

/** One certificate in PEM, ending in a line break. */
export const certificatePem = (der: Buffer): string => pemOf('CERTIFICATE', der)

/** DER as PEM under a label (RFC 7468), ending in a line break. */
export function pemOf(label: string, der: Buffer): string {
  const lines = der.toString('base64').replace(/.{1,64}/g, '$&\n')
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`
}

/** The certificates of a PEM text in their order; undefined when it has none or one of them cannot be read. */
export function certificatesOf(pem: string): readonly X509Certificate[] | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  const found = blocks.map(certificateOf).filter((certificate) => certificate !== undefined)
  return found.length === 0 || found.length < blocks.length ? undefined : found
}

/** A certificate from DER or PEM; undefined when it, or the time that it is valid for, cannot be read. */
export function certificateOf(bytes: Buffer | string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(bytes)
    const { validFrom, validTo } = certificate
    // OpenSSL reads certificates whose times are none, and shows them in words.
    return [validFrom, validTo].some((time) => Number.isNaN(Date.parse(time))) ? undefined : certificate
  } catch {
    return undefined
  }
}

/** The key as PKCS#8 PEM; undefined when it is no private key that OpenSSL knows. */
export function privateKeyPem(pkcs8: Buffer): Secret | undefined {
  try {
    const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
    return new Secret(key.export({ format: 'pem', type: 'pkcs8' }).toString())
  } catch {
    return undefined
  }
}
