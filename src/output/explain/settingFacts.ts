import { defaultText } from '../../config/reference/settingNotes.ts'
import type { Setting } from '../../config/settings/setting.ts'

const places: Readonly<Record<Setting<unknown>['scope'], string>> = {
  file: 'at the top of the file',
  service: 'in a service',
  host: 'in a host',
  ssh: '`ssh`, of the file or of a host',
  hooks: '`hooks`',
  options: '`defaults`, or the `options` of a service or a host',
}

/** A labelled fact about a setting. */
type Fact = { readonly label: string; readonly text: string }

/** Lists facts about a setting that its documentation does not have; names and values stand in backquotes. */
export function settingFacts(setting: Setting<unknown>): readonly Fact[] {
  const { scope, type, aliases, secret, component, since } = setting
  const standard = defaultText(setting)
  return [
    { label: 'Place', text: places[scope] },
    { label: 'Value', text: type.wants },
    { label: 'Default', text: standard === undefined ? 'none' : `\`${standard}\`` },
    ...aliases.map((alias) => ({ label: 'Also', text: `\`${alias}\`` })),
    ...(secret ? [{ label: 'Secret', text: 'yes; no output ever shows it' }] : []),
    ...(component === undefined ? [] : [{ label: 'Only for', text: `hosts that run the ${component}` }]),
    { label: 'Since', text: since },
  ]
}

const around: Readonly<Record<Setting<unknown>['scope'], readonly string[]>> = {
  file: [],
  service: ['services:', '  alpha:'],
  host: ['hosts:', '  db1:'],
  ssh: ['ssh:'],
  hooks: ['hooks:'],
  options: ['defaults:'],
}

/** Writes the setting as in a file, with the names around it. */
export function settingExample({ name, scope, type }: Setting<unknown>): string {
  const above = around[scope]
  return [...above, `${'  '.repeat(above.length)}${name}: ${type.example}`].join('\n')
}
