import { Secret } from '../../secrets/secret.ts'
import type { StorePasswords } from './stores.ts'

/** Passwords with which the components of a host log in to databases. */
export type DatabasePasswords = { readonly replication?: Secret; readonly monitor?: Secret }

/**
 * Text of `share/secrets.json`: by option, every password that the host needs and no other. A component reads
 * it whenever it logs in to a database, so a new password needs no restart.
 */
export function secretsFile(stores: StorePasswords, databases: DatabasePasswords): Secret {
  const passwords = {
    'java-keystore-password': stores.keystore?.reveal(),
    'java-truststore-password': stores.truststore?.reveal(),
    'replication-password': databases.replication?.reveal(),
    'monitor-password': databases.monitor?.reveal(),
  }
  return new Secret(`${JSON.stringify(passwords, null, 2)}\n`)
}
