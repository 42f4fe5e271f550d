import { createPrivateKey, createPublicKey } from 'node:crypto'
import { createAuthority } from '../../src/certificates/authority.ts'
import { alternativeNames, type HostNames, validity } from '../../src/certificates/profile.ts'
import {
  authorityConstraints,
  leafConstraints,
  leafPurposes,
  nameOf,
  signCertificate,
  subjectNames,
} from '../../src/certificates/signCertificate.ts'
import type { Der } from '../../src/certificates/stores/der.ts'
import type { Secret } from '../../src/secrets/secret.ts'

/** One that signs, with the name that is in its certificate. */
export type Signer = { readonly name: string; readonly certificate: string; readonly key: Secret }

/** An authority that muster knows nothing of. */
export async function outsideAuthority(cluster: string, now: Date): Promise<Signer> {
  return { name: `muster ${cluster} authority`, ...(await createAuthority({ cluster, now })) }
}

/** What a signer makes of a key: a leaf for servers, unless told. */
export function signedOutside(options: {
  readonly by: Signer
  readonly key: Secret
  readonly name: string
  readonly names: HostNames
  readonly now: Date
  readonly days?: number
  readonly authority?: boolean
  readonly extensions?: readonly Der[]
}): string {
  const { by, key, name, names, now, days = 90, authority = false } = options
  const publicKey = createPublicKey(createPrivateKey(key.reveal())).export({ format: 'der', type: 'spki' })
  const extensions = options.extensions ?? [
    authority ? authorityConstraints() : leafConstraints(),
    ...(authority ? [] : [leafPurposes(), subjectNames(alternativeNames(names))]),
  ]
  return signCertificate({
    subject: nameOf(name),
    publicKey,
    issuer: nameOf(by.name),
    issuerKey: by.key,
    validity: validity({ now, days }),
    extensions,
  })
}

/** What an outside authority answers to the request of a host: the certificate for its key (90 days), and its own. */
export function outsideChain({
  address,
  ...options
}: Omit<Parameters<typeof signedOutside>[0], 'names'> & { readonly address: string }): string {
  const names = { names: [options.name, 'localhost'], addresses: [address, '127.0.0.1', '::1'] }
  return signedOutside({ ...options, names }) + options.by.certificate
}
