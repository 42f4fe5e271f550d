import { looksSecret } from '../document/hide.ts'
import { isSecretName } from '../knownNames.ts'
import { options } from '../settings/options.ts'
import { type Setting, spellings } from '../settings/setting.ts'
import { places } from '../shape/places.ts'
import { allSettings, meaningOf } from './meaning.ts'

/** What stands at one point of a file, told by the names above it. */
export type Context =
  | { readonly at: 'place'; readonly place: keyof typeof places }
  /** Names that the file itself gives: those of its hosts, services or users of the APIs. */
  | { readonly at: 'names'; readonly of: 'host' | 'service' | 'user' }
  | { readonly at: 'value'; readonly setting: Setting<unknown> }
  /** Below the name of a secret. */
  | { readonly at: 'secret' }
  /** Below a name without a meaning. */
  | { readonly at: 'unknown' }

/** What a whole file is. */
export const fileContext: Context = { at: 'place', place: 'file' }

const settings = new Map(
  allSettings
    .toReversed()
    .flatMap((setting) => spellings([setting]).map((spelling) => [spelling, setting] as const)),
)

const groups: Readonly<Record<string, Context>> = {
  defaults: { at: 'place', place: 'defaults' },
  options: { at: 'place', place: 'options' },
  ssh: { at: 'place', place: 'ssh' },
  services: { at: 'names', of: 'service' },
  hosts: { at: 'names', of: 'host' },
}

function settingAt(context: Context, name: string): Setting<unknown> | undefined {
  const own = context.at === 'place' ? places[context.place].settings.get(name) : undefined
  return own ?? settings.get(name)
}

/** What stands behind a name. A known name keeps its meaning where it does not belong. */
export function below(context: Context, name: string): Context {
  if (context.at === 'names')
    return context.of === 'user' ? { at: 'secret' } : { at: 'place', place: context.of }
  if (context.at === 'secret') return context
  const setting = settingAt(context, name)
  if (setting === options.users) return { at: 'names', of: 'user' }
  if (setting !== undefined)
    return meaningOf(setting) === 'secret' ? { at: 'secret' } : { at: 'value', setting }
  const group = Object.hasOwn(groups, name) ? groups[name] : undefined
  if (group !== undefined) return group
  return isSecretName(name) || looksSecret(name) ? { at: 'secret' } : { at: 'unknown' }
}
