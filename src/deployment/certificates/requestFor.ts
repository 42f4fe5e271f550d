import { canonicalAddress, isWildcard } from '../../base/address.ts'
import { certificateFacts } from '../../certificates/certificateFacts.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import { certificatesOf } from '../../certificates/pem.ts'
import type { HostNames } from '../../certificates/profile.ts'
import { signingRequest } from '../../certificates/signingRequest.ts'
import type { HostConfig } from '../../config/model.ts'
import { splitNames } from '../desired/names.ts'

/**
 * What an outside authority is asked to put into a host's certificate: the names and addresses of the file, and
 * those that the host told of itself when its present certificate was made. Nobody is asked anew.
 */
export function namesToRequest(host: HostConfig, stores: Pick<HostStores, 'chain'>): HostNames {
  const leaf = certificatesOf(stores.chain)?.[0]
  const known = leaf === undefined ? [] : certificateFacts(leaf, new Date(0)).names
  const listening = host.apis.filter(({ enabled }) => enabled).map(({ address }) => address)
  const all = [host.name, host.address, ...listening, ...known].filter((name) => !isWildcard(name))
  return splitNames([...new Map(all.map((name) => [canonicalName(name), name])).values()])
}

/** The request for a host's key that the state directory keeps, PEM. Throws `CertificateError`. */
export const requestFor = (host: HostConfig, stores: Pick<HostStores, 'chain' | 'key'>): string =>
  signingRequest({ ...namesToRequest(host, stores), key: stores.key })

const canonicalName = (name: string): string => canonicalAddress(name) ?? name.toLowerCase()
