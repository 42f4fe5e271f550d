import { createHash, createPrivateKey, randomBytes } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import type { Leaf } from './leaf.ts'
import { certificatesOf } from './pem.ts'
import {
  certificateBag,
  friendlyName,
  keyBag,
  localKeyId,
  type Random,
  writePkcs12,
} from './stores/writePkcs12.ts'

/** A PKCS#12 keystore of one key with its chain; keytool lists it as PrivateKeyEntry under the alias. */
export function createKeystore(options: {
  readonly leaf: Leaf
  readonly alias: string
  readonly password: Secret
  readonly random?: Random
}): Buffer {
  const { alias, password, random = randomBytes } = options
  const [leaf, ...issuers] = (certificatesOf(options.leaf.chain) ?? []).map((one) => one.raw)
  if (leaf === undefined) throw new Error('a leaf without a certificate')
  // OpenSSL's custom: the SHA-1 of the certificate ties it to its key.
  const attributes = [friendlyName(alias), localKeyId(createHash('sha1').update(leaf).digest())]
  const pkcs8 = createPrivateKey(options.leaf.key.reveal()).export({ format: 'der', type: 'pkcs8' })
  const bags = [
    keyBag({ pkcs8, password, attributes, random }),
    certificateBag(leaf, attributes),
    ...issuers.map((issuer) => certificateBag(issuer, [])),
  ]
  return writePkcs12({ bags, password, random })
}
