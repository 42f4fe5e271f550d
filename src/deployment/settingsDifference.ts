import { isObject } from '../client/envelope.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'

/** Line per member that differs, such as `listen.port: 8090 → 18090`; empty when the old text is no JSON. */
export function settingsDifference(before: string, after: ServerSettings): string[] {
  const old = flatten('', parse(before))
  if (old.size === 0) return []
  const wanted = flatten('', after)
  const names = [...new Set([...old.keys(), ...wanted.keys()])]
  return names.flatMap((name) => {
    const [from, to] = [old.get(name) ?? 'none', wanted.get(name) ?? 'none']
    return from === to ? [] : [`${name}: ${from} → ${to}`]
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function flatten(path: string, value: unknown): Map<string, string> {
  if (Array.isArray(value)) return ofList(path, value)
  if (!isObject(value)) return new Map(path === '' ? [] : [[path, String(value)]])
  return ofMembers(path, Object.entries(value))
}

const ofMembers = (path: string, members: readonly (readonly [string, unknown])[]): Map<string, string> =>
  new Map(members.flatMap(([key, member]) => [...flatten(path === '' ? key : `${path}.${key}`, member)]))

/** Services and data sources go by their names: each data source is one line, such as `10.0.0.11 3306 primary`. */
function ofList(path: string, items: readonly unknown[]): Map<string, string> {
  if (items.length === 0) return new Map()
  if (!items.every((item) => isObject(item) && typeof item.name === 'string')) {
    return new Map([[path, items.join(', ')]])
  }
  const named = items.filter(isObject).map(({ name, ...rest }) => {
    const nested = Object.values(rest).some((member) => typeof member === 'object')
    return [String(name), nested ? rest : Object.values(rest).join(' ')] as const
  })
  return ofMembers(path, named)
}
