import { createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto'
import rc2 from 'node-forge/lib/rc2.js'
import util from 'node-forge/lib/util.js'
import type { Secret } from '../../secrets/secret.ts'
import {
  bmpOf,
  children,
  content,
  type Der,
  decode,
  encode,
  isSequence,
  MalformedError,
  numberOf,
  oidOf,
} from './der.ts'
import { oids } from './oids.ts'
import { type Digest, pkcs12Key } from './pkcs12Key.ts'
import { StoreReadError } from './store.ts'

/** More rounds than any tool writes: a limit against files that would keep us busy. */
const maxIterations = 10_000_000

const prfs: Readonly<Record<string, Digest>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  [oids.hmacSha256]: 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}

const ciphers: Readonly<Record<string, { readonly name: string; readonly key: number }>> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', key: 16 },
  '2.16.840.1.101.3.4.1.22': { name: 'aes-192-cbc', key: 24 },
  [oids.aes256]: { name: 'aes-256-cbc', key: 32 },
  '1.2.840.113549.3.7': { name: 'des-ede3-cbc', key: 24 },
}

/** Key lengths in bytes of the old schemes (RFC 7292, appendix C) that Java 8 and `openssl -legacy` write. */
const oldSchemes: Readonly<Record<string, { readonly cipher: 'des' | 'rc2'; readonly key: number }>> = {
  '1.2.840.113549.1.12.1.3': { cipher: 'des', key: 24 },
  '1.2.840.113549.1.12.1.5': { cipher: 'rc2', key: 16 },
  '1.2.840.113549.1.12.1.6': { cipher: 'rc2', key: 5 },
}

type Encrypted = {
  readonly algorithm: Der | undefined
  readonly encrypted: Buffer
  readonly password: string
}

/**
 * Decrypts a sequence (SafeContents, PrivateKeyInfo) with the algorithm of an AlgorithmIdentifier of PKCS#5
 * or PKCS#12. Throws `StoreReadError` with `wrong-password` or `unsupported`, `MalformedError` for broken
 * parameters.
 */
function decrypt(options: Encrypted): Buffer {
  const plain = decryptBytes(options)
  // One wrong password in 256 leaves a padding that looks right, with noise before it.
  if (!isWholeSequence(plain)) throw new StoreReadError('wrong-password', 'it does not decrypt')
  return plain
}

function isWholeSequence(bytes: Buffer): boolean {
  try {
    return isSequence(decode(bytes))
  } catch (error) {
    if (error instanceof MalformedError) return false
    throw error
  }
}

function decryptBytes(options: Encrypted): Buffer {
  const [id, parameters] = children(options.algorithm)
  const scheme = oidOf(id)
  if (scheme === oids.pbes2) return decryptPbes2(parameters, options)
  const old = oldSchemes[scheme]
  if (old === undefined) throw new StoreReadError('unsupported', `protection ${scheme}`)
  const [salt, count] = children(parameters)
  const derive = {
    digest: 'sha1',
    password: options.password,
    salt: content(salt),
    iterations: rounds(count),
  } as const
  const key = pkcs12Key({ ...derive, purpose: 'key', length: old.key })
  const iv = pkcs12Key({ ...derive, purpose: 'iv', length: 8 })
  if (old.cipher === 'rc2') return decryptRc2({ key, iv, encrypted: options.encrypted })
  return decipher({ name: 'des-ede3-cbc', key, iv, encrypted: options.encrypted })
}

/** Reads the number of rounds; throws `StoreReadError` above the limit. */
function rounds(node: Der | undefined): number {
  const count = numberOf(node)
  if (count < 1 || count > maxIterations)
    throw new StoreReadError('unsupported', `${count} key derivation rounds`)
  return count
}

function decryptPbes2(parameters: Der | undefined, options: { encrypted: Buffer; password: string }): Buffer {
  const [derivation, encryption] = children(parameters)
  const [derivationId, derivationParameters] = children(derivation)
  if (oidOf(derivationId) !== oids.pbkdf2) {
    throw new StoreReadError('unsupported', `key derivation ${oidOf(derivationId)}`)
  }
  const [salt, count, ...rest] = children(derivationParameters)
  const prfNode = rest.find(isSequence)
  const prfId = prfNode === undefined ? '1.2.840.113549.2.7' : oidOf(children(prfNode)[0])
  const prf = prfs[prfId]
  const [cipherId, iv] = children(encryption)
  const cipher = ciphers[oidOf(cipherId)]
  if (prf === undefined) throw new StoreReadError('unsupported', `key derivation function ${prfId}`)
  if (cipher === undefined) throw new StoreReadError('unsupported', `cipher ${oidOf(cipherId)}`)
  const key = pbkdf2Sync(Buffer.from(options.password, 'utf8'), content(salt), rounds(count), cipher.key, prf)
  return decipher({ name: cipher.name, key, iv: content(iv), encrypted: options.encrypted })
}

function decipher(options: { name: string; key: Buffer; iv: Buffer; encrypted: Buffer }): Buffer {
  try {
    const cipher = createDecipheriv(options.name, options.key, options.iv)
    return Buffer.concat([cipher.update(options.encrypted), cipher.final()])
  } catch {
    throw new StoreReadError('wrong-password', 'it does not decrypt')
  }
}

// node:crypto has no RC2 without OpenSSL's legacy provider, and Java 8 protects certificates with it.
function decryptRc2(options: { key: Buffer; iv: Buffer; encrypted: Buffer }): Buffer {
  const cipher = rc2.createDecryptionCipher(options.key.toString('latin1'), options.key.length * 8)
  cipher.start(util.createBuffer(options.iv.toString('latin1')))
  cipher.update(util.createBuffer(options.encrypted.toString('latin1')))
  if (!cipher.finish()) throw new StoreReadError('wrong-password', 'it does not decrypt')
  return Buffer.from(cipher.output.getBytes(), 'latin1')
}

/** One key or certificate of a PKCS#12 file with the attributes that link them. */
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
 * Reads the keys and certificates of a PKCS#12 file (RFC 7292) in the file's order; skips other bags. Throws
 * `StoreReadError`, or `MalformedError` for other bytes.
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
