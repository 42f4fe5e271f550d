import type { SecretReference } from '../secrets/reference.ts'
import { allOptions } from './settings/options.ts'
import type { Setting } from './settings/setting.ts'

const isSecret = (setting: Setting<unknown>): setting is Setting<SecretReference> => setting.secret

/** Every option that is a secret. */
export const secretOptions: readonly Setting<SecretReference>[] = allOptions.filter(isSecret)
