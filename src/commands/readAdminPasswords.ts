import type { ClusterConfig } from '../config/model.ts'
import type { Secret } from '../secrets/secret.ts'
import type { CommandContext } from './context.ts'
import { secretReader } from './secretReader.ts'

/**
 * The administrators' passwords that the file gives, by host, each source read once. Other secrets are left
 * alone. Rejects with a `SecretError`, or `Interrupted`.
 */
export async function readAdminPasswords(
  context: CommandContext,
  config: ClusterConfig,
): Promise<ReadonlyMap<string, Secret>> {
  const read = secretReader(context, { policy: 'all' })
  const passwords = new Map<string, Secret>()
  for (const { name, admin } of config.hosts) {
    if (admin?.password === undefined) continue
    const reading = await read(admin.password)
    if ('failure' in reading) throw reading.failure
    passwords.set(name, reading.secret)
  }
  return passwords
}
