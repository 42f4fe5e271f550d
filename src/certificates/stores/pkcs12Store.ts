import { createPrivateKey, type X509Certificate } from 'node:crypto'
import type { Secret } from '../../secrets/secret.ts'
import { chainOf } from '../chainOf.ts'
import { certificateOf, certificatePem, privateKeyPem } from '../pem.ts'
import { type Bag, readPkcs12 } from './readPkcs12.ts'
import type { Store, StoreKey } from './store.ts'
import { StoreReadError } from './storeReadError.ts'

type Certified = { readonly bag: Bag; readonly certificate: X509Certificate }

/** Ties the bags of a PKCS#12 file to entries as Java does; throws what `readPkcs12` throws. */
export function pkcs12Store(bytes: Buffer, password: Secret): Store {
  const bags = readPkcs12(bytes, password)
  const certified = bags
    .filter((bag) => bag.kind === 'certificate')
    .flatMap((bag) => {
      const certificate = certificateOf(bag.der)
      return certificate === undefined ? [] : [{ bag, certificate }]
    })
  // Java calls an entry without a name by its number among those without one.
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
