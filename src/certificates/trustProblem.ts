import type { X509Certificate } from 'node:crypto'
import { isIssuedBy } from './chainOf.ts'
import { certificatesOf } from './pem.ts'
import { type StoreProblem, storeProblem } from './storeProblem.ts'
import type { Store } from './stores/store.ts'

const trustedOf = (truststore: Store): readonly X509Certificate[] =>
  truststore.trusted.flatMap((one) => certificatesOf(one.certificate) ?? [])

/** The finding about a truststore that trusts nobody, if so. */
export function emptyProblem(truststore: Store): StoreProblem | undefined {
  if (trustedOf(truststore).length > 0) return undefined
  const others = truststore.unused.length + truststore.keys.length
  const detail = others === 0 ? 'it is empty' : 'what it holds is not marked as trusted, so Java ignores it'
  return storeProblem('truststore-empty', { detail })
}

/** The finding about a truststore with certificates that do not lead to the chain, if so. */
export function trustProblem(options: {
  readonly truststore: Store
  readonly chain: readonly X509Certificate[]
  readonly now: Date
}): StoreProblem | undefined {
  const { truststore, chain, now } = options
  const current = trustedOf(truststore).filter((one) => Date.parse(one.validTo) > now.getTime())
  const leads = current.some((root) =>
    chain.some((one) => one.fingerprint256 === root.fingerprint256 || isIssuedBy(one, root)),
  )
  if (leads) return undefined
  const last = chain.at(-1)
  const facts = { subject: oneLine(last?.subject), issuer: oneLine(last?.issuer) }
  return storeProblem('truststore-does-not-trust', facts)
}

/** A distinguished name in one line. */
const oneLine = (name: string | undefined): string => (name ?? '').split('\n').join(', ')
