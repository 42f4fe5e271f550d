import {
  createJksTruststore,
  createKeystore,
  createTruststore,
  type HostStores,
} from '../../certificates/hostStores.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Secret } from '../../secrets/secret.ts'

/** What `muster cert export` can write. */
export const exportFormats = ['pem', 'p12', 'jks'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** The authorities that clients must trust (PEM): as PEM text, or as a truststore for Java. */
export function exportAuthorities(options: {
  readonly authorities: readonly string[]
  readonly format: ExportFormat
  /** Of a truststore. */
  readonly password: Secret
  readonly now: Date
}): Buffer {
  const { authorities, format } = options
  switch (format) {
    case 'pem':
      return Buffer.from(authorities.join(''))
    case 'p12':
      return createTruststore(options)
    case 'jks':
      return createJksTruststore(options)
  }
}

/** A host's chain as PEM, with its key before it where that is asked for; or both as a PKCS#12 keystore. */
export function exportHost(options: {
  readonly host: Pick<HostConfig, 'tls'>
  readonly stores: Pick<HostStores, 'key' | 'chain'>
  readonly format: 'pem' | 'p12'
  readonly withKey: boolean
  /** Of a keystore. */
  readonly password: Secret
}): Buffer {
  const { host, stores, format, withKey, password } = options
  if (format === 'p12') return createKeystore({ leaf: stores, alias: host.tls.alias, password })
  return Buffer.from(`${withKey ? stores.key.reveal() : ''}${stores.chain}`)
}
