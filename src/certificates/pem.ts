import { createPrivateKey, X509Certificate } from 'node:crypto'
import { Secret } from '../secrets/secret.ts'

/** Writes a certificate as PEM, with a final line break. */
export const certificatePem = (der: Buffer): string => pemOf('CERTIFICATE', der)

/** Writes DER as PEM under a label (RFC 7468), with a final line break. */
export function pemOf(label: string, der: Buffer): string {
  const lines = der.toString('base64').replace(/.{1,64}/g, '$&\n')
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`
}

/**
 * Parses the certificates of a PEM text in their order; undefined if there is none or one cannot be parsed.
 */
export function certificatesOf(pem: string): readonly X509Certificate[] | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  const found = blocks.map(certificateOf).filter((certificate) => certificate !== undefined)
  return found.length === 0 || found.length < blocks.length ? undefined : found
}

/** Parses a certificate from DER or PEM; undefined if it or its validity cannot be parsed. */
export function certificateOf(bytes: Buffer | string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(bytes)
    const { validFrom, validTo } = certificate
    // OpenSSL accepts certificates with invalid times, and prints them as text.
    return [validFrom, validTo].some((time) => Number.isNaN(Date.parse(time))) ? undefined : certificate
  } catch {
    return undefined
  }
}

/** Converts a key to PKCS#8 PEM; undefined if OpenSSL cannot read it. */
export function privateKeyPem(pkcs8: Buffer): Secret | undefined {
  try {
    const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
    return new Secret(key.export({ format: 'pem', type: 'pkcs8' }).toString())
  } catch {
    return undefined
  }
}
