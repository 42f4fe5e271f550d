import { allHooks } from '../../config/settings/hooks.ts'
import { optionGroups } from '../../config/settings/options.ts'
import { allFile, allHost, allService } from '../../config/settings/places.ts'
import { type Setting, spellings } from '../../config/settings/setting.ts'
import { allSsh } from '../../config/settings/ssh.ts'

/** Every setting by group, in the order of the list. */
export const settingGroups: readonly {
  readonly title: string
  readonly settings: readonly Setting<unknown>[]
}[] = [
  { title: 'The file', settings: allFile },
  { title: 'A service', settings: allService },
  { title: 'A host', settings: allHost },
  { title: 'SSH', settings: allSsh },
  { title: 'Hooks', settings: allHooks },
  ...optionGroups.map(({ title, settings }) => ({ title: `Options: ${title}`, settings })),
]

const all = settingGroups.flatMap(({ settings }) => settings)

/** Finds settings by name or alias; some names exist at two places of the file. */
export const settingsNamed = (name: string): readonly Setting<unknown>[] =>
  all.filter((setting) => spellings([setting]).includes(name))

/** Names and aliases of all settings. */
export const settingNames: readonly string[] = [...new Set(spellings(all))]
