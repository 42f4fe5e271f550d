import type { X509Certificate } from 'node:crypto'

/** Whether `issuer` really signed `certificate`: names, key identifiers and signature agree. */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  } catch {
    return false
  }
}

/** The leaf and, as far as `pool` has them, those that issued it, up to one that issued itself. */
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
