import type { X509Certificate } from 'node:crypto'
import { isIssuedBy } from './chainOf.ts'
import { certificatesOf } from './pem.ts'
import type { StoreProblem } from './storeProblem.ts'
import type { Store } from './stores/store.ts'

/** The finding about a truststore that does not lead to the chain, if any. */
export function trustProblem(options: {
  readonly truststore: Store
  readonly chain: readonly X509Certificate[]
  readonly now: Date
}): StoreProblem | undefined {
  const { truststore, chain, now } = options
  const why = 'components call each other over TLS and trust only what the truststore has'
  const trusted = truststore.trusted.flatMap((one) => certificatesOf(one.certificate) ?? [])
  if (trusted.length === 0) {
    const others = truststore.unused.length + truststore.keys.length
    const found = others === 0 ? 'it is empty' : 'what it holds is not marked as trusted, so Java ignores it'
    return {
      code: 'truststore-empty',
      message: `the truststore has no trusted certificate: ${found}`,
      why,
      fix: 'import the authority: `keytool -importcert -file authority.crt -alias authority -keystore FILE`',
    }
  }
  const current = trusted.filter((one) => Date.parse(one.validTo) > now.getTime())
  const leads = current.some((root) =>
    chain.some((one) => one.fingerprint256 === root.fingerprint256 || isIssuedBy(one, root)),
  )
  if (leads) return undefined
  const last = chain.at(-1)
  return {
    code: 'truststore-does-not-trust',
    message: `the truststore does not trust the keystore: nothing valid in it issued ${oneLine(last?.subject)}`,
    why,
    fix: `import the certificate of ${oneLine(last?.issuer)} into the truststore: \`keytool -importcert -file authority.crt -alias authority -keystore FILE\``,
  }
}

/** A distinguished name in one line. */
const oneLine = (name: string | undefined): string => (name ?? '').split('\n').join(', ')
