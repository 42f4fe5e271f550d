import { isDeepStrictEqual } from 'node:util'
import { options } from '../../src/config/settings/options.ts'
import type { SettingGroup } from '../../src/config/settings/setting.ts'

const { api: _, dashboard: __, limits, database, monitor, switching, proxy, ...others } = options
const groups: readonly SettingGroup[] = [limits, database, monitor, switching, proxy, others]

/**
 * Leaves members of options with their default out of expected JSON (the replacer of `JSON.stringify`), so that a new
 * option changes none.
 */
export const withoutDefault = (key: string, value: unknown): unknown =>
  groups.some((group) => isDeepStrictEqual(group[key]?.default, value)) ? undefined : value
