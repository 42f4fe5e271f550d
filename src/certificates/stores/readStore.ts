import { createPrivateKey, type X509Certificate } from 'node:crypto'
import type { Secret } from '../../secrets/secret.ts'
import { chainOf } from '../chain.ts'
import { certificateOf, certificatePem, privateKeyPem } from '../pem.ts'
import { MalformedError } from './der.ts'
import { jksMagic, jksStore } from './jks.ts'
import { type Bag, readPkcs12 } from './readPkcs12.ts'
import { type Store, type StoreKey, StoreReadError, type StoreReadReason } from './store.ts'

type Certified = { readonly bag: Bag; readonly certificate: X509Certificate }

/** Groups the bags of a PKCS#12 file into entries as Java does; throws as `readPkcs12`. */
function pkcs12Store(bytes: Buffer, password: Secret): Store {
  const bags = readPkcs12(bytes, password)
  const certified = bags
    .filter((bag) => bag.kind === 'certificate')
    .flatMap((bag) => {
      const certificate = certificateOf(bag.der)
      return certificate === undefined ? [] : [{ bag, certificate }]
    })
  // Java names an entry without a name by its number among such entries.
  let unnamed = 0
  const nameOf = (bag: Bag): string => bag.alias ?? String(++unnamed)
  const keys = bags
    .filter((bag) => bag.kind === 'key')
    .map((bag) => entryOf({ bag, alias: nameOf(bag), certified }))
  const trusted = certified
    .filter(({ bag }) => bag.trusted)
    .map(({ bag }) => ({ alias: nameOf(bag), certificate: certificatePem(bag.der) }))
  const used = new Set([...keys.flatMap((key) => key.chain), ...trusted.map((one) => one.certificate)])
  const unused = certified.map(({ bag }) => certificatePem(bag.der)).filter((pem) => !used.has(pem))
  return { format: 'pkcs12', keys, trusted, unused }
}

function entryOf(options: { bag: Bag; alias: string; certified: readonly Certified[] }): StoreKey {
  const { bag, alias, certified } = options
  const key = privateKeyPem(bag.der)
  if (key === undefined) throw new StoreReadError('unsupported', `the kind of key of entry \`${alias}\``)
  const own =
    certified.find((one) => sameId(one.bag, bag)) ?? certified.find((one) => fits(one.certificate, key))
  // A lone certificate is meant for the key even when it does not fit: that is a finding, not an empty chain.
  const leaf = own ?? certified.find((one) => !one.bag.trusted)
  if (leaf === undefined) return { alias, key, chain: [] }
  const pool = certified.map((one) => one.certificate)
  return { alias, key, chain: chainOf(leaf.certificate, pool).map((one) => certificatePem(one.raw)) }
}

const sameId = (one: Bag, other: Bag): boolean =>
  one.localKeyId !== undefined && other.localKeyId !== undefined && one.localKeyId.equals(other.localKeyId)

function fits(certificate: X509Certificate, key: Secret): boolean {
  return certificate.checkPrivateKey(createPrivateKey(key.reveal()))
}

export type ReadStore =
  | { readonly ok: true; readonly store: Store }
  | { readonly ok: false; readonly reason: StoreReadReason; readonly detail: string }

/** Opens a PKCS#12 or JKS store. Never throws: a store that cannot be opened is a result with its reason. */
export function readStore(bytes: Buffer, password: Secret): ReadStore {
  const known = otherFormat(bytes)
  if (known !== undefined) return { ok: false, ...known }
  try {
    const isJks = bytes.readUInt32BE() === jksMagic
    return { ok: true, store: isJks ? jksStore(bytes, password) : pkcs12Store(bytes, password) }
  } catch (error) {
    if (error instanceof StoreReadError) return { ok: false, reason: error.reason, detail: error.message }
    if (error instanceof MalformedError) return { ok: false, reason: 'not-a-store', detail: error.message }
    throw error
  }
}

/** Recognizes files that are often given by mistake, by their first bytes. */
function otherFormat(bytes: Buffer): { reason: StoreReadReason; detail: string } | undefined {
  if (bytes.length === 0) return { reason: 'not-a-store', detail: 'the file is empty' }
  if (bytes.length < 24) return { reason: 'not-a-store', detail: 'the file is too short' }
  if (bytes.toString('latin1').includes('-----BEGIN '))
    return { reason: 'not-a-store', detail: 'the file is PEM text' }
  if (bytes.readUInt32BE() === 0xcececece) return { reason: 'unsupported', detail: 'the format JCEKS' }
  return undefined
}
