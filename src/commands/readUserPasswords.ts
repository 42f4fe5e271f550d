import type { ClusterConfig } from '../config/model.ts'
import type { Secret } from '../secrets/secret.ts'
import type { CommandContext } from './context.ts'
import { secretReader } from './secretReader.ts'

/**
 * The passwords that the file gives for users of the APIs, by host and user, each source read once. Other secrets are left
 * alone. Rejects with a `SecretError`, or `Interrupted`.
 */
export async function readUserPasswords(
  context: CommandContext,
  config: ClusterConfig,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Secret>>> {
  const read = secretReader(context, { policy: 'all' })
  const passwords = new Map<string, ReadonlyMap<string, Secret>>()
  for (const { name, users } of config.hosts) {
    const given = new Map<string, Secret>()
    for (const { user, password } of users) {
      if (password === undefined) continue
      const reading = await read(password)
      if ('failure' in reading) throw reading.failure
      given.set(user, reading.secret)
    }
    passwords.set(name, given)
  }
  return passwords
}
