import type { SecretReference } from '../secrets/reference.ts'
import type { Resolved, ResolvedHost } from './resolve/resolved.ts'
import { allOptions } from './settings/options.ts'
import type { Setting } from './settings/setting.ts'
import { allSsh } from './settings/ssh.ts'

const isSecret = (setting: Setting<unknown>): setting is Setting<SecretReference> => setting.secret

/** Every option that is a secret. */
export const secretOptions: readonly Setting<SecretReference>[] = allOptions.filter(isSecret)

/** Every secret that can stand under `ssh`. */
export const sshSecrets: readonly Setting<SecretReference>[] = allSsh.filter(isSecret)

/** Every secret of a host, given or not; on this machine nothing is reached over SSH. */
export const secretsOf = (
  host: ResolvedHost,
): readonly {
  readonly setting: Setting<SecretReference>
  readonly resolved: Resolved<SecretReference>
}[] => [
  ...secretOptions.map((setting) => ({ setting, resolved: host.option(setting) })),
  ...(host.connection === 'local' ? [] : sshSecrets).map((setting) => ({
    setting,
    resolved: host.ssh(setting),
  })),
]
