import type { SecretReference } from '../secrets/reference.ts'
import { type Resolved, type ResolvedHost, usersOf } from './resolve/resolved.ts'
import { allOptions } from './settings/options.ts'
import type { Setting } from './settings/setting.ts'
import { allSsh } from './settings/ssh.ts'
import { secretReference } from './types/secretReference.ts'

/** Whether a setting is one secret; a map of them is none. */
export const isSecret = (setting: Setting<unknown>): setting is Setting<SecretReference> =>
  setting.secret && setting.type === secretReference

/** Every option that is one secret. */
export const secretOptions: readonly Setting<SecretReference>[] = allOptions.filter(isSecret)

/** Every secret that can stand under `ssh`. */
export const sshSecrets: readonly Setting<SecretReference>[] = allSsh.filter(isSecret)

/** Every secret of a host, given or not; on this machine nothing is reached over SSH. */
export const secretsOf = (
  host: ResolvedHost,
): readonly {
  readonly setting: Setting<unknown>
  readonly resolved: Resolved<SecretReference>
}[] => [
  ...secretOptions.map((setting) => ({ setting, resolved: host.option(setting) })),
  ...usersOf(host).map((user) => ({ setting: user.given.setting, resolved: user })),
  ...(host.connection === 'local' ? [] : sshSecrets).map((setting) => ({
    setting,
    resolved: host.ssh(setting),
  })),
]
