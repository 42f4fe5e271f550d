import type { X509Certificate } from 'node:crypto'
import { certificatesOf } from './pem.ts'

/** Returns true if `issuer` signed `certificate`: names, key identifiers and signature match. */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  } catch {
    return false
  }
}

/** Builds the chain from the leaf to a self-issued certificate, as far as `pool` has the issuers. */
export function chainOf(leaf: X509Certificate, pool: readonly X509Certificate[]): readonly X509Certificate[] {
  const chain = [leaf]
  const taken = new Set([leaf.fingerprint256])
  for (let last = leaf; !isIssuedBy(last, last); ) {
    const issuer = pool.find((one) => !taken.has(one.fingerprint256) && isIssuedBy(last, one))
    if (issuer === undefined) break
    chain.push(issuer)
    taken.add(issuer.fingerprint256)
    last = issuer
  }
  return chain
}

/**
 * Returns true if each certificate of a PEM chain, leaf first, is signed by the next and the last by one of
 * these authorities (PEM), or is one of them. Ignores expiry.
 */
export function isTrustedBy(chain: string, authorities: readonly string[]): boolean {
  const [leaf, ...others] = certificatesOf(chain) ?? []
  if (leaf === undefined) return false
  const links = chainOf(leaf, others)
  const trusts = (root: X509Certificate): boolean =>
    links.some((one) => one.fingerprint256 === root.fingerprint256 || isIssuedBy(one, root))
  return authorities.flatMap((pem) => certificatesOf(pem) ?? []).some(trusts)
}

/** Fields of a certificate chain from a host. */
type ChainFacts = {
  /** The leaf's subject on one line, such as `CN=db1`. */
  readonly subject: string
  /** The leaf's issuer on one line. */
  readonly issuer: string
  /** The leaf's subject alternative names: DNS names and IP addresses. */
  readonly names: readonly string[]
  /** SHA-256 of the leaf, in pairs of hexadecimal digits with colons. */
  readonly fingerprint: string
  readonly notBefore: Date
  readonly notAfter: Date
  /** True if `now` is outside the leaf's validity. */
  readonly expired: boolean
  /** Returns true if this authority (PEM) signed the leaf, or an issuer in the chain. */
  issuedBy(authority: string): boolean
}

/** Parses a PEM chain, leaf first; undefined for other text. */
export function describeChain(pem: string, now: Date): ChainFacts | undefined {
  const chain = certificatesOf(pem)
  const leaf = chain?.[0]
  if (chain === undefined || leaf === undefined) return undefined
  const notBefore = new Date(leaf.validFrom)
  const notAfter = new Date(leaf.validTo)
  return {
    subject: leaf.subject.split('\n').join(', '),
    issuer: leaf.issuer.split('\n').join(', '),
    names: leaf.subjectAltName?.split(', ').map((name) => name.replace(/^[^:]*:/, '')) ?? [],
    fingerprint: leaf.fingerprint256,
    notBefore,
    notAfter,
    expired: now < notBefore || now > notAfter,
    issuedBy: (authority) => {
      const issuer = certificatesOf(authority)?.[0]
      if (issuer === undefined) return false
      return chain.some((one, index) => {
        const reached = chain.slice(0, index).every((link, at) => {
          const next = chain[at + 1]
          return next !== undefined && isIssuedBy(link, next)
        })
        return reached && isIssuedBy(one, issuer)
      })
    },
  }
}
