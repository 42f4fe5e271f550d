import { type ClusterState, withUser } from '../../../src/deployment/state/clusterState.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { madeState } from '../../support/madeState.ts'

const now = new Date('2026-03-10T12:00:00Z')

/** A state of everything: an authority, two hosts, store passwords and two users, and the machine of a host. */
export async function sampleState(): Promise<ClusterState> {
  const passwords = { keystore: new Secret('store-one'), truststore: new Secret('store-two') }
  let state = await madeState({ hosts: [{ name: 'db1' }, { name: 'db2' }], now, passwords })
  state = withUser(state, 'admin', { salt: Buffer.alloc(16, 1), password: new Secret('made-password') })
  state = withUser(state, 'özge', { salt: Buffer.alloc(16, 2) })
  return {
    ...state,
    machines: new Map([['db1', '0123456789abcdef0123456789abcdef']]),
    folders: new Map([['db1', '/opt/muster']]),
  }
}
