import { callableAddress } from '../../base/address.ts'
import { CertificateError } from '../../certificates/certificateError.ts'
import { packHostStores } from '../../certificates/hostStores.ts'
import { judgeOutside } from '../../certificates/judgeOutside.ts'
import { makePassword } from '../../certificates/password.ts'
import type { HostConfig } from '../../config/model.ts'
import { type ClusterState, trustedAuthorities, withHost } from '../state/clusterState.ts'
import { namesToRequest } from './requestFor.ts'

/**
 * The state with the certificate (PEM chain) that an outside authority made for the key of a host; the next
 * installation spreads it, and all hosts then trust that authority, too. Throws a `CertificateError`; undefined
 * where the state has no key of the host.
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
  const called = host.apis.filter(({ enabled }) => enabled).map(({ address }) => callableAddress(address))
  const { chain, authority, warnings } = judgeOutside({
    pem,
    key: kept.key,
    host: host.name,
    called: [...new Set([...called, host.address])],
    names: [...wanted.names, ...wanted.addresses].filter((name) => !local.includes(name)),
    now,
  })
  const own = state.authority
  if (own === undefined) {
    throw new CertificateError({
      code: 'authority-unreadable',
      message: 'the state directory has keys of hosts but no authority',
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
    keystorePassword: state.storePasswords?.keystore ?? makePassword(),
    truststorePassword: state.storePasswords?.truststore ?? makePassword(),
  })
  return { state: withHost(state, host.name, { ...packed, outside: authority }), chain, warnings }
}

/** What every host of ours is called on itself; an outside authority may well refuse to sign that. */
const local: readonly string[] = ['localhost', '127.0.0.1', '::1']
