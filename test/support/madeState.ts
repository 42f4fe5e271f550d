import { createAuthority } from '../../src/certificates/authority.ts'
import { createHostStores } from '../../src/certificates/hostStores.ts'
import { generatePassword } from '../../src/certificates/password.ts'
import {
  type ClusterState,
  emptyState,
  withAuthority,
  withHost,
  withStorePasswords,
} from '../../src/deployment/state/clusterState.ts'
import type { Secret } from '../../src/secrets/secret.ts'

/** The state of cluster alpha with an authority, passwords of stores, and the stores that muster made for these hosts. */
export async function madeState(options: {
  readonly hosts: readonly { readonly name: string; readonly address?: string }[]
  readonly now: Date
  readonly passwords?: { readonly keystore: Secret; readonly truststore: Secret }
}): Promise<ClusterState> {
  const { hosts, now, passwords = { keystore: generatePassword(), truststore: generatePassword() } } = options
  const authority = await createAuthority({ cluster: 'alpha', now })
  let state = withStorePasswords(withAuthority(emptyState, authority), passwords)
  for (const { name, address } of hosts) {
    const stores = await createHostStores({
      names: [name],
      addresses: address === undefined ? [] : [address],
      authority,
      lifetimeDays: 365,
      now,
      alias: 'tls',
      keystorePassword: passwords.keystore,
      truststorePassword: passwords.truststore,
    })
    state = withHost(state, name, stores)
  }
  return state
}
