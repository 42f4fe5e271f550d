import { groupDescriptions } from '../../config/reference/groups.ts'
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

/** A section of the file: what stands in it, by group. */
export type Section = {
  readonly name: string
  readonly documentation: string
  readonly groups: readonly { readonly title: string; readonly settings: readonly Setting<unknown>[] }[]
  /** Sections within it. */
  readonly inner: readonly { readonly name: string; readonly documentation: string }[]
}

const inner = {
  ssh: { name: 'ssh', documentation: groupDescriptions.hostSsh },
  options: { name: 'options', documentation: groupDescriptions.options },
} as const

/** The sections of a file. */
const sections: readonly Section[] = (
  [
    { name: 'services', groups: [{ title: 'A service', settings: allService }], inner: [inner.options] },
    { name: 'hosts', groups: [{ title: 'A host', settings: allHost }], inner: [inner.ssh, inner.options] },
    { name: 'defaults', groups: optionGroups, inner: [] },
    { name: 'options', groups: optionGroups, inner: [] },
    { name: 'ssh', groups: [{ title: 'SSH', settings: allSsh }], inner: [] },
    { name: 'hooks', groups: [{ title: 'Hooks', settings: allHooks }], inner: [] },
  ] as const
).map((section) => ({ ...section, documentation: groupDescriptions[section.name] }))

export const sectionsNamed = (name: string): readonly Section[] =>
  sections.filter((section) => section.name === name)

export const sectionNames: readonly string[] = sections.map(({ name }) => name)

/** Lists what stands in a section by group, with the first sentence about each. */
export const sectionRows = ({ groups, inner: within }: Section) =>
  [...groups, { title: 'Sections within', settings: within }]
    .filter(({ settings }) => settings.length > 0)
    .map(({ title, settings }) => ({
      title,
      rows: settings.map(({ name, documentation }) => ({
        name,
        text: /^.*?\.(?=\s|$)/s.exec(documentation)?.[0] ?? documentation,
      })),
    }))

const all = settingGroups.flatMap(({ settings }) => settings)

/** Finds settings by name or alias; some names exist at two places of the file. */
export const settingsNamed = (name: string): readonly Setting<unknown>[] =>
  all.filter((setting) => spellings([setting]).includes(name))

/** Names and aliases of all settings. */
export const settingNames: readonly string[] = [...new Set(spellings(all))]
