import { isObject } from '../../client/envelope.ts'
import { parseJson } from '../../client/parseJson.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { namesSecret } from './hideSecrets.ts'
import { shortened } from './shorten.ts'

/** A value as it is shown; a list of words stays one, so that only its changes are. */
type Shown = string | readonly string[]

/**
 * Line per member that differs, such as `listen.port: 8090 → 18090` or `allowedHosts: - db1, + db2`; empty when
 * the old text is no JSON.
 */
export function settingsDifference(before: string, after: ServerSettings): readonly string[] {
  const old = flatten('', parseJson(before))
  if (old.size === 0) return []
  const wanted = flatten('', after)
  const names = [...new Set([...old.keys(), ...wanted.keys()])]
  return shortened(names.flatMap((name) => memberDifference(name, old.get(name), wanted.get(name))))
}

function memberDifference(name: string, from: Shown | undefined, to: Shown | undefined): readonly string[] {
  if (textOf(from) === textOf(to)) return []
  // What the host has need not be ours.
  if (namesSecret(name)) return [`${name}: [redacted] changed`]
  if (from === undefined || to === undefined || typeof from === 'string' || typeof to === 'string') {
    return [`${name}: ${textOf(from)} → ${textOf(to)}`]
  }
  const gone = from.filter((word) => !to.includes(word)).map((word) => `- ${word}`)
  const come = to.filter((word) => !from.includes(word)).map((word) => `+ ${word}`)
  const words = [...gone, ...come]
  return [`${name}: ${words.length === 0 ? 'another order' : words.join(', ')}`]
}

/** A value in a list; of an object its JSON, since an object of a host need have no text of its own. */
const wordOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

const textOf = (shown: Shown | undefined): string =>
  shown === undefined ? 'none' : typeof shown === 'string' ? shown : shown.join(', ')

function flatten(path: string, value: unknown): Map<string, Shown> {
  if (Array.isArray(value)) return ofList(path, value)
  if (!isObject(value)) return new Map(path === '' ? [] : [[path, String(value)]])
  return ofMembers(path, Object.entries(value))
}

const ofMembers = (path: string, members: readonly (readonly [string, unknown])[]): Map<string, Shown> =>
  new Map(members.flatMap(([key, member]) => [...flatten(path === '' ? key : `${path}.${key}`, member)]))

/** Services and data sources go by their names: each data source is one line, such as `10.0.0.11 3306 primary`. */
function ofList(path: string, items: readonly unknown[]): Map<string, Shown> {
  if (items.length === 0) return new Map()
  if (!items.every((item) => isObject(item) && typeof item.name === 'string')) {
    return new Map([[path, items.map(wordOf)]])
  }
  const named = items.filter(isObject).map(({ name, ...rest }) => {
    const nested = Object.values(rest).some((member) => typeof member === 'object')
    return [wordOf(name), nested ? rest : Object.values(rest).map(wordOf).join(' ')] as const
  })
  return ofMembers(path, named)
}
