import { isIssuedBy } from './chainOf.ts'
import { certificatesOf } from './pem.ts'

/** What a chain read from a host says about itself. */
export type ChainFacts = {
  /** The leaf's subject in one line, such as `CN=db1`. */
  readonly subject: string
  /** The leaf's issuer in one line. */
  readonly issuer: string
  /** The leaf's subject alternative names: DNS names and IP addresses. */
  readonly names: readonly string[]
  /** SHA-256 of the leaf, in pairs of hexadecimal digits with colons. */
  readonly fingerprint: string
  readonly notBefore: Date
  readonly notAfter: Date
  /** Whether `now` is outside the leaf's time. */
  readonly expired: boolean
  /** Whether this authority (PEM) really signed the leaf, or an issuer that the chain has. */
  issuedBy(authority: string): boolean
}

/** Reads a PEM chain, leaf first; undefined when it is none. */
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
