import type { Hasher } from '../../accounts/hasher.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { ClusterState } from '../state/clusterState.ts'

/**
 * Begins to hash the passwords that the file gives, with the salts that are known: it is done while hosts are
 * connected to. A hash that fails is told by who asks for it again.
 */
export function hashEarly(
  hash: Hasher,
  given: ReadonlyMap<string, ReadonlyMap<string, Secret>>,
  state: ClusterState | undefined,
): void {
  for (const passwords of given.values()) {
    for (const [user, password] of passwords) {
      const salt = state?.users.get(user)?.salt
      if (salt !== undefined) hash(password, salt).catch(() => undefined)
    }
  }
}
