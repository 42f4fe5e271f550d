import type { ClusterConfig, HostConfig } from '../config/model.ts'
import type { ResolvedSecrets } from '../deployment/prepare.ts'
import type { SecretReference } from '../secrets/reference.ts'
import type { Secret } from '../secrets/secret.ts'
import type { CommandContext } from './context.ts'
import { secretReader } from './secretReader.ts'

/** Fetches every secret the file refers to, each source once. Rejects with a `SecretError`, or `Interrupted`. */
export async function resolveSecrets(
  context: CommandContext,
  config: ClusterConfig,
): Promise<ResolvedSecrets> {
  const read = secretReader(context, { policy: 'all' })
  const secrets = new Map<SecretReference, Secret>()
  for (const reference of config.hosts.flatMap(referencesOf)) {
    const reading = await read(reference)
    if ('failure' in reading) throw reading.failure
    secrets.set(reference, reading.secret)
  }
  return secrets
}

const referencesOf = (host: HostConfig): SecretReference[] =>
  [
    ...host.users.map(({ password }) => password),
    host.tls.keystorePassword,
    host.tls.truststorePassword,
    host.database?.account?.password,
    host.monitor?.password,
  ].filter((reference) => reference !== undefined)
