import type { SecretReference } from '../secrets/reference.ts'
import { type Resolved, type ResolvedHost, usersOf } from './resolve/resolved.ts'
import { allOptions } from './settings/options.ts'
import type { Setting } from './settings/setting.ts'
import { allSsh } from './settings/ssh.ts'
import { secretReference } from './types/secretReference.ts'

/** Returns true for a setting that is one secret, not a map of them. */
export const isSecret = (setting: Setting<unknown>): setting is Setting<SecretReference> =>
  setting.secret && setting.type === secretReference

/** Options that are one secret. */
export const secretOptions: readonly Setting<SecretReference>[] = allOptions.filter(isSecret)

/** Secrets under `ssh`. */
export const sshSecrets: readonly Setting<SecretReference>[] = allSsh.filter(isSecret)

/** Lists the secrets of a host, given or not; on this machine without those of ssh. */
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
