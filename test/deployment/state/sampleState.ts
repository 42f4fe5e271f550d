import { createAuthority } from '../../../src/certificates/authority.ts'
import { makeHostStores } from '../../../src/certificates/hostStores.ts'
import {
  type ClusterState,
  emptyState,
  withAuthority,
  withHost,
  withStorePasswords,
  withUser,
} from '../../../src/deployment/state/clusterState.ts'
import { Secret } from '../../../src/secrets/secret.ts'

const now = new Date('2026-03-10T12:00:00Z')

/** A state of everything: an authority, two hosts, store passwords and two users, and the machine of a host. */
export async function sampleState(): Promise<ClusterState> {
  const authority = await createAuthority({ cluster: 'alpha', now })
  const passwords = { keystore: new Secret('store-one'), truststore: new Secret('store-two') }
  const locks = { keystorePassword: passwords.keystore, truststorePassword: passwords.truststore }
  let state = withStorePasswords(withAuthority(emptyState, authority), passwords)
  for (const host of ['db1', 'db2']) {
    const names = { names: [host], addresses: [] }
    const stores = await makeHostStores({
      authority,
      ...names,
      ...locks,
      alias: 'tls',
      lifetimeDays: 365,
      now,
    })
    state = withHost(state, host, stores)
  }
  state = withUser(state, 'admin', { salt: Buffer.alloc(16, 1), password: new Secret('made-password') })
  state = withUser(state, 'özge', { salt: Buffer.alloc(16, 2) })
  return { ...state, machines: new Map([['db1', '0123456789abcdef0123456789abcdef']]) }
}
