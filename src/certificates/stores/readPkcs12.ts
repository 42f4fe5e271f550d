import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../secrets/secret.ts'
import { decrypt, rounds } from './decrypt.ts'
import {
  bmpOf,
  children,
  content,
  type Der,
  decode,
  encode,
  isSequence,
  MalformedError,
  oidOf,
} from './der.ts'
import { oids } from './oids.ts'
import { type Digest, pkcs12Key } from './pkcs12Key.ts'
import { StoreReadError } from './storeReadError.ts'

/** One key or certificate of a PKCS#12 file with the attributes that tie them together. */
export type Bag = {
  readonly kind: 'key' | 'certificate'
  /** PKCS#8 or X.509, DER. */
  readonly der: Buffer
  readonly alias: string | undefined
  readonly localKeyId: Buffer | undefined
  /** Carries Java's mark of a trusted certificate. */
  readonly trusted: boolean
}

const macDigests: Readonly<Record<string, Digest>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  [oids.sha256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/**
 * The keys and certificates of a PKCS#12 file (RFC 7292) in the file's order; other bags are left out.
 * Throws `StoreReadError`, or `MalformedError` for bytes that are no such file.
 */
export function readPkcs12(bytes: Buffer, password: Secret): readonly Bag[] {
  const [version, authSafe, mac] = children(decode(bytes))
  if (!content(version).equals(Buffer.of(3))) throw new MalformedError('not PKCS#12 version 3')
  const [contentType, wrapped] = children(authSafe)
  if (oidOf(contentType) !== oids.data) {
    throw new StoreReadError('unsupported', 'integrity protection by a public key')
  }
  const safe = content(children(wrapped)[0])
  if (mac !== undefined) checkMac({ mac, safe, password: password.reveal() })
  return children(decode(safe)).flatMap((info) => bagsOf(info, password.reveal()))
}

function checkMac(options: { mac: Der; safe: Buffer; password: string }): void {
  const [digestInfo, salt, iterations] = children(options.mac)
  const [algorithm, expected] = children(digestInfo)
  const id = oidOf(children(algorithm)[0])
  const digest = macDigests[id]
  if (digest === undefined) throw new StoreReadError('unsupported', `integrity check ${id}`)
  const wanted = content(expected)
  const key = pkcs12Key({
    digest,
    password: options.password,
    salt: content(salt),
    purpose: 'mac',
    iterations: iterations === undefined ? 1 : rounds(iterations),
    length: wanted.length,
  })
  const found = createHmac(digest, key).update(options.safe).digest()
  if (found.length !== wanted.length || !timingSafeEqual(found, wanted)) {
    throw new StoreReadError('wrong-password', 'its integrity check fails')
  }
}

function bagsOf(info: Der, password: string): readonly Bag[] {
  const [type, wrapped] = children(info)
  const inner = children(wrapped)[0]
  const bags = oidOf(type) === oids.encryptedData ? decryptContent(inner, password) : content(inner)
  return children(decode(bags)).flatMap((bag) => bagOf(bag, password))
}

function decryptContent(encryptedData: Der | undefined, password: string): Buffer {
  const [, encryptedInfo] = children(encryptedData)
  const [, algorithm, encrypted] = children(encryptedInfo)
  return decrypt({ algorithm, encrypted: content(encrypted), password })
}

function bagOf(bag: Der, password: string): readonly Bag[] {
  const [type, wrapped, attributes] = children(bag)
  const value = children(wrapped)[0]
  const facts = attributesOf(attributes)
  switch (oidOf(type)) {
    case oids.shroudedKeyBag: {
      const [algorithm, encrypted] = children(value)
      return [{ kind: 'key', der: decrypt({ algorithm, encrypted: content(encrypted), password }), ...facts }]
    }
    case oids.keyBag:
      if (!isSequence(value)) throw new MalformedError('a key is missing')
      return value === undefined ? [] : [{ kind: 'key', der: encode(value), ...facts }]
    case oids.certBag: {
      const [certificateType, certificate] = children(value)
      if (oidOf(certificateType) !== oids.x509Certificate) return []
      return [{ kind: 'certificate', der: content(children(certificate)[0]), ...facts }]
    }
    default:
      return []
  }
}

function attributesOf(node: Der | undefined): Pick<Bag, 'alias' | 'localKeyId' | 'trusted'> {
  const values = new Map(
    (node === undefined ? [] : children(node)).map((attribute) => {
      const [id, found] = children(attribute)
      return [oidOf(id), children(found)[0]]
    }),
  )
  const localKeyId = values.get(oids.localKeyId)
  return {
    alias: bmpOf(values.get(oids.friendlyName)),
    localKeyId: localKeyId === undefined ? undefined : content(localKeyId),
    trusted: values.has(oids.trustedKeyUsage),
  }
}
