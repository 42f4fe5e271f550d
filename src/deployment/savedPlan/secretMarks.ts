import { createHasher, passwordMark } from '../../accounts/hasher.ts'
import { saltBytes } from '../../accounts/passwordHash.ts'
import type { ScryptCost } from '../../accounts/phc.ts'
import { sha256 } from '../../base/sha256.ts'
import type { HostConfig } from '../../config/model.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import type { ResolvedSecrets } from '../prepare.ts'

/**
 * Marks by host and option, by which a changed secret is noticed later; one change in 4096 goes unnoticed. The salt is
 * the cluster's name, so that many plans tell no more than one.
 */
export async function secretMarks(options: {
  readonly cluster: string
  readonly hosts: readonly HostConfig[]
  readonly secrets: ResolvedSecrets
  /** Lower only in tests. */
  readonly cost?: ScryptCost
}): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const { cluster, hosts, secrets, cost } = options
  const salt = Buffer.from(sha256(`muster plan of ${cluster}`), 'hex').subarray(0, saltBytes)
  const hash = createHasher(cost)
  const marks = new Map<string, Readonly<Record<string, string>>>()
  for (const host of hosts) {
    const own: Record<string, string> = {}
    for (const [option, reference] of secretsOf(host)) {
      const secret = reference && secrets.get(reference)
      if (secret !== undefined) own[option] = await passwordMark(hash, secret, salt)
    }
    marks.set(host.name, own)
  }
  return marks
}

const secretsOf = (host: HostConfig): readonly (readonly [string, SecretReference | undefined])[] => [
  ...host.users.map(({ option, password }) => [option, password] as const),
  ['java-keystore-password', host.tls.keystorePassword],
  ['java-truststore-password', host.tls.truststorePassword],
  ['replication-password', host.database?.account?.password],
  ['monitor-password', host.monitor?.password],
]
