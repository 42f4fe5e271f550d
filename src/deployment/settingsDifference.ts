import type { ServerSettings } from '../contracts/serverSettings.ts'

/** Line per member that differs, such as `listen.port: 8090 → 18090`; empty when the old text is no JSON. */
export function settingsDifference(before: string, after: ServerSettings): string[] {
  const old = flatten('', parse(before))
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Map(path === '' ? [] : [[path, Array.isArray(value) ? value.join(', ') : String(value)]])
  }
  return new Map(
    Object.entries(value).flatMap(([key, member]) => [
      ...flatten(path === '' ? key : `${path}.${key}`, member),
    ]),
  )
}
