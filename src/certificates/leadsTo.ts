import type { X509Certificate } from 'node:crypto'
import { chainOf, isIssuedBy } from './chainOf.ts'
import { certificatesOf } from './pem.ts'

/**
 * Whether a PEM chain, leaf first, leads link by link to one of these authorities (PEM), or is itself trusted.
 * Nobody's time is judged.
 */
export function leadsTo(chain: string, authorities: readonly string[]): boolean {
  const [leaf, ...others] = certificatesOf(chain) ?? []
  if (leaf === undefined) return false
  const links = chainOf(leaf, others)
  const trusts = (root: X509Certificate): boolean =>
    links.some((one) => one.fingerprint256 === root.fingerprint256 || isIssuedBy(one, root))
  return authorities.flatMap((pem) => certificatesOf(pem) ?? []).some(trusts)
}
