import type { CommandContext } from '../../cli/context.ts'
import { secretReader } from '../../cli/secretReader.ts'
import type { ClusterConfig } from '../../config/model.ts'
import { readState } from '../../deployment/state/openState.ts'
import type { Secret } from '../../secrets/secret.ts'

/** Returns every secret that can be read here, so that all of them can be redacted. */
export async function knownSecrets(
  context: CommandContext,
  config: ClusterConfig,
): Promise<readonly Secret[]> {
  const read = secretReader(context, { policy: 'all' })
  const references = config.hosts.flatMap(({ users, tls, database, monitor, ssh }) => [
    ...users.map(({ password }) => password),
    tls.keystorePassword,
    tls.truststorePassword,
    database?.account?.password,
    monitor?.password,
    ssh.becomePassword,
  ])
  const found: Secret[] = []
  for (const reference of references) {
    if (reference === undefined || reference === 'ask') continue
    const reading = await read(reference)
    if ('secret' in reading) found.push(reading.secret)
  }
  const { directory, cluster } = config
  const state = (await readState({ directory, cluster }).catch(() => undefined))?.state
  const { storePasswords, users } = state ?? {}
  return [
    ...found,
    ...(storePasswords === undefined ? [] : [storePasswords.keystore, storePasswords.truststore]),
    ...[...(users?.values() ?? [])].flatMap(({ password, pending = [] }) => [password ?? [], pending].flat()),
  ]
}
