import type { Secret } from '../secrets/secret.ts'
import { judgeStores } from './judgeStores.ts'
import { certificatePem } from './pem.ts'
import { isWarning, type StoreProblem } from './storeProblem.ts'

export type OpenedStores =
  | {
      readonly ok: true
      /** PKCS#8 PEM. */
      readonly key: Secret
      /** The leaf, then its issuers as far as the keystore has them; PEM. */
      readonly chain: string
      /** PEM of what clients must trust: the truststore's certificates, without one the chain's last. */
      readonly authorities: readonly string[]
      readonly warnings: readonly StoreProblem[]
    }
  /** All findings, the warnings too. */
  | { readonly ok: false; readonly problems: readonly StoreProblem[] }

/**
 * Opens an operator's own stores (PKCS#12 or JKS) and judges them for one host; all findings at once.
 * `names` are the host's names and addresses without localhost: one must be covered, the others are warnings.
 */
export function openStores(options: {
  readonly keystore: Buffer
  readonly keystorePassword: Secret
  readonly truststore?: Buffer
  /** Absent: the keystore's. */
  readonly truststorePassword?: Secret
  readonly alias: string
  readonly names: readonly string[]
  readonly now: Date
  readonly warningDays: number
}): OpenedStores {
  const { keystore, keystorePassword, truststore, truststorePassword = keystorePassword } = options
  const { entry, problems, ...judged } = judgeStores({
    ...options,
    keystore: { bytes: keystore, password: keystorePassword },
    truststore: truststore && { bytes: truststore, password: truststorePassword },
  })
  if (entry === undefined || !problems.every(isWarning)) return { ok: false, problems }
  const trusted = judged.truststore?.trusted ?? []
  const last = entry.chain.at(-1) ?? entry.chain[0]
  return {
    ok: true,
    key: entry.key,
    chain: entry.chain.map((one) => certificatePem(one.raw)).join(''),
    authorities: trusted.length > 0 ? trusted.map((one) => one.certificate) : [certificatePem(last.raw)],
    warnings: problems,
  }
}
