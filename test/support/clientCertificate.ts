import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import forge from 'node-forge'

const day = 86_400_000

export type TestAuthority = {
  readonly certificate: string
  readonly issuer: forge.pki.Certificate
  readonly key: forge.pki.rsa.PrivateKey
}

export type TestLeaf = { readonly key: string; readonly cert: string }

function makeKeys() {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return {
    publicKey: forge.pki.publicKeyFromPem(pair.publicKey),
    privateKey: forge.pki.privateKeyFromPem(pair.privateKey),
    pem: pair.privateKey,
  }
}

function blank(facts: { commonName: string; from: number; to: number }): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate()
  certificate.serialNumber = `01${randomBytes(12).toString('hex')}`
  certificate.validity.notBefore = new Date(facts.from)
  certificate.validity.notAfter = new Date(facts.to)
  certificate.setSubject([{ name: 'commonName', value: facts.commonName }])
  return certificate
}

/** A certificate authority for one test file, valid for a day; its own root unless a parent signs it. */
export function makeAuthority(commonName = 'test authority', parent?: TestAuthority): TestAuthority {
  const keys = makeKeys()
  const issuer = blank({ commonName, from: Date.now() - day, to: Date.now() + day })
  issuer.publicKey = keys.publicKey
  issuer.setIssuer((parent?.issuer ?? issuer).subject.attributes)
  issuer.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ])
  issuer.sign(parent?.key ?? keys.privateKey, forge.md.sha256.create())
  return { certificate: forge.pki.certificateToPem(issuer), issuer, key: keys.privateKey }
}

/** A server certificate for names and IP addresses; valid for a day from `from` unless told. */
export function makeLeaf(
  authority: TestAuthority,
  leaf: { readonly names: readonly string[]; readonly from?: number; readonly to?: number },
): TestLeaf {
  const keys = makeKeys()
  const from = leaf.from ?? Date.now() - day
  const certificate = blank({ commonName: 'test leaf', from, to: leaf.to ?? Date.now() + day })
  certificate.publicKey = keys.publicKey
  certificate.setIssuer(authority.issuer.subject.attributes)
  certificate.setExtensions([
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: leaf.names.map((name) =>
        isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name },
      ),
    },
  ])
  certificate.sign(authority.key, forge.md.sha256.create())
  return { key: keys.pem, cert: forge.pki.certificateToPem(certificate) }
}
