import { generateKeyPairSync, randomBytes } from 'node:crypto'
import forge from 'node-forge'

/** A self-signed certificate for loopback, in PEM: what a test's server shows and its client trusts. */
export type ServerCertificate = { readonly key: string; readonly chain: string }

/** Makes one; it is valid from a day ago until `notAfter`, tomorrow unless told. */
export function createServerCertificate(notAfter?: Date): ServerCertificate {
  const day = 24 * 60 * 60 * 1000
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  })
  const privateKey = forge.pki.privateKeyFromPem(String(key))
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.setRsaPublicKey(privateKey.n, privateKey.e)
  certificate.serialNumber = `01${randomBytes(8).toString('hex')}`
  certificate.validity.notBefore = new Date(Date.now() - 2 * day)
  certificate.validity.notAfter = notAfter ?? new Date(Date.now() + day)
  const name = [{ name: 'commonName', value: 'localhost' }]
  certificate.setSubject(name)
  certificate.setIssuer(name)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: 'localhost' },
        { type: 7, ip: '127.0.0.1' },
      ],
    },
  ])
  certificate.sign(privateKey, forge.md.sha256.create())
  return { key: String(key), chain: forge.pki.certificateToPem(certificate) }
}
