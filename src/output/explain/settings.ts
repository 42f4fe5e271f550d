import { optionGroups } from '../../config/settings/options.ts'
import { allFile, allHost, allService } from '../../config/settings/places.ts'
import { type Setting, spellings } from '../../config/settings/setting.ts'
import { allSsh } from '../../config/settings/ssh.ts'

/** Every setting, in the groups and the order in which they are listed. */
export const settingGroups: readonly {
  readonly title: string
  readonly settings: readonly Setting<unknown>[]
}[] = [
  { title: 'The file', settings: allFile },
  { title: 'A service', settings: allService },
  { title: 'A host', settings: allHost },
  { title: 'SSH', settings: allSsh },
  ...optionGroups.map(({ title, settings }) => ({ title: `Options: ${title}`, settings })),
]

const all = settingGroups.flatMap(({ settings }) => settings)

/** The settings of this name or alias; some names exist at two places of the file. */
export const settingsNamed = (name: string): readonly Setting<unknown>[] =>
  all.filter((setting) => spellings([setting]).includes(name))

/** Every name that a setting goes by. */
export const settingNames: readonly string[] = [...new Set(spellings(all))]
