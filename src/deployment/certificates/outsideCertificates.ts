import { canonicalAddress, connectableAddress, isWildcard } from '../../base/address.ts'
import { CertificateError } from '../../certificates/certificateError.ts'
import { certificateFacts } from '../../certificates/certificateFacts.ts'
import { type HostStores, packHostStores } from '../../certificates/hostStores.ts'
import { checkOutsideCertificate } from '../../certificates/outsideCertificate.ts'
import { generatePassword } from '../../certificates/password.ts'
import { certificatesOf } from '../../certificates/pem.ts'
import type { HostNames } from '../../certificates/profile.ts'
import { signingRequest } from '../../certificates/signCertificate.ts'
import type { HostConfig } from '../../config/model.ts'
import { subjectAltNames } from '../desired/certificateNames.ts'
import { type ClusterState, trustedAuthorities, withHost } from '../state/clusterState.ts'

/**
 * Returns the names to request from an outside authority: the names and addresses of the file, and those the host
 * reported when its present certificate was made. Contacts no host.
 */
function namesToRequest(host: HostConfig, stores: Pick<HostStores, 'chain'>): HostNames {
  const leaf = certificatesOf(stores.chain)?.[0]
  const known = leaf === undefined ? [] : certificateFacts(leaf, new Date(0)).names
  const listening = host.apis.filter(({ enabled }) => enabled).map(({ address }) => address)
  const all = [host.name, host.address, ...listening, ...known].filter((name) => !isWildcard(name))
  return subjectAltNames([...new Map(all.map((name) => [canonicalName(name), name])).values()])
}

/** Creates the certificate request (PEM) for a host's key in the state directory. Throws `CertificateError`. */
export const requestFor = (host: HostConfig, stores: Pick<HostStores, 'chain' | 'key'>): string =>
  signingRequest({ ...namesToRequest(host, stores), key: stores.key })

const canonicalName = (name: string): string => canonicalAddress(name) ?? name.toLowerCase()

/**
 * Returns the state with the certificate (PEM chain) that an outside authority signed for a host's key; the next
 * installation deploys it, and all hosts then trust that authority too. Throws a `CertificateError`; undefined if the
 * state has no key of the host.
 */
export function importOutside(options: {
  readonly state: ClusterState
  readonly host: HostConfig
  readonly pem: string
  readonly now: Date
}):
  | { readonly state: ClusterState; readonly chain: string; readonly warnings: readonly string[] }
  | undefined {
  const { state, host, pem, now } = options
  const kept = state.hosts.get(host.name)
  if (kept === undefined) return undefined
  const wanted = namesToRequest(host, kept)
  const called = host.apis.filter(({ enabled }) => enabled).map(({ address }) => connectableAddress(address))
  const { chain, authority, warnings } = checkOutsideCertificate({
    pem,
    key: kept.key,
    host: host.name,
    called: [...new Set([...called, host.address])],
    names: [...wanted.names, ...wanted.addresses].filter((name) => !localNames.includes(name)),
    now,
  })
  const own = state.authority
  if (own === undefined) {
    throw new CertificateError({
      code: 'authority-unreadable',
      message: 'the state directory has host keys but no certificate authority',
      fix: 'restore authority.crt and authority.key from a backup or with `muster state import`',
    })
  }
  const leaf = { key: kept.key, chain }
  const after = withHost(state, host.name, { ...kept, chain, outside: authority })
  const packed = packHostStores({
    leaf,
    authority: own,
    trusted: trustedAuthorities(after),
    alias: host.tls.alias,
    keystorePassword: state.storePasswords?.keystore ?? generatePassword(),
    truststorePassword: state.storePasswords?.truststore ?? generatePassword(),
  })
  return { state: withHost(state, host.name, { ...packed, outside: authority }), chain, warnings }
}

/** Local names of every host of the cluster; an outside authority may refuse to sign them. */
const localNames: readonly string[] = ['localhost', '127.0.0.1', '::1']
