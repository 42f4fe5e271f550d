import { hashPassword, saltBytes } from '../../accounts/passwordHash.ts'
import type { ScryptCost } from '../../accounts/phc.ts'
import type { HostConfig } from '../../config/model.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { ResolvedSecrets } from '../prepare.ts'
import { sha256 } from '../sha256.ts'

/** Hexadecimal digits of a mark: twelve bits. */
const digits = 3

/**
 * By host and option, a mark by which a changed secret is noticed later. It is three hexadecimal digits of a
 * scrypt of the value: whoever finds the plan and tries passwords pays a scrypt for each, and one in 4096
 * wrong ones fits as well as the right one, so that nothing is proved; a change goes unnoticed as seldom. The
 * salt is the cluster's name, so that many plans tell no more than one.
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
  const known: { readonly secret: Secret; readonly mark: string }[] = []
  const markOf = async (secret: Secret): Promise<string> => {
    const before = known.find((one) => one.secret.equals(secret))
    if (before !== undefined) return before.mark
    const hash = await hashPassword({ password: secret, salt, ...(cost && { cost }) })
    const mark = sha256(hash).slice(0, digits)
    known.push({ secret, mark })
    return mark
  }
  const marks = new Map<string, Readonly<Record<string, string>>>()
  for (const host of hosts) {
    const own: Record<string, string> = {}
    for (const [option, reference] of secretsOf(host)) {
      const secret = reference && secrets.get(reference)
      if (secret !== undefined) own[option] = await markOf(secret)
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
