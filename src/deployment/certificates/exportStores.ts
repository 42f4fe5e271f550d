import {
  createJksTruststore,
  createKeystore,
  createTruststore,
  type HostStores,
} from '../../certificates/hostStores.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Secret } from '../../secrets/secret.ts'

/** Formats of `muster cert export`. */
export const exportFormats = ['pem', 'p12', 'jks'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** Exports the authorities (PEM) that clients must trust: as PEM text, or as a truststore for Java. */
export function exportAuthorities(options: {
  readonly authorities: readonly string[]
  readonly format: ExportFormat
  /** Password of a truststore. */
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

/** Exports a host's chain as PEM, with its key first if requested; or both as a PKCS#12 keystore. */
export function exportHostCertificate(options: {
  readonly host: Pick<HostConfig, 'tls'>
  readonly stores: Pick<HostStores, 'key' | 'chain'>
  readonly format: 'pem' | 'p12'
  readonly withKey: boolean
  /** Password of a keystore. */
  readonly password: Secret
}): Buffer {
  const { host, stores, format, withKey, password } = options
  if (format === 'p12') return createKeystore({ leaf: stores, alias: host.tls.alias, password })
  return Buffer.from(`${withKey ? stores.key.reveal() : ''}${stores.chain}`)
}
