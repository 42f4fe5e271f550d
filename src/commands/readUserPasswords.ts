import type { CommandContext } from '../cli/context.ts'
import { givenPasswords } from '../deployment/prepare.ts'
import type { Secret } from '../secrets/secret.ts'
import type { OpenedCluster } from '../session/openCluster.ts'
import { resolveSecrets } from './resolveSecrets.ts'

/**
 * Passwords that the file gives for users of the APIs, by host and user; other secrets are not read. Reports findings
 * and fails as `resolveSecrets` does.
 */
export async function readUserPasswords(
  context: CommandContext,
  opened: OpenedCluster,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Secret>>> {
  const secrets = await resolveSecrets(context, opened, ({ users }) =>
    users.flatMap(({ password }) => password ?? []),
  )
  return new Map(opened.config.hosts.map((host) => [host.name, givenPasswords(host, secrets)]))
}
