import { isObject, parseJson } from '../../base/json.ts'
import { durationText } from '../../base/time.ts'
import type { Component } from '../../contracts/component.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { namesSecret } from './hideSecrets.ts'
import { shortened } from './shorten.ts'

/** A value as it is shown; a list of words stays one, so that only its changes are. */
type Shown = string | readonly string[]

/**
 * Line per member that differs, by the name of its option where there is one, such as
 * `manager-rest-api-port: 8090 → 18090` or `rest-api-allowed-hosts: - db1, + db2`; empty when the old text is no JSON.
 */
export function settingsDifference(before: string, after: ServerSettings): readonly string[] {
  const old = membersOf(parseJson(before))
  if (old.size === 0) return []
  const wanted = membersOf(after)
  const names = [...new Set([...old.keys(), ...wanted.keys()])]
  return shortened(
    names.flatMap((name) =>
      memberDifference(optionName(name, after.component), old.get(name), wanted.get(name)),
    ),
  )
}

/** Members of settings by their paths; a listener that is switched off is `false`, as in the file. */
function membersOf(settings: unknown): Map<string, Shown> {
  const members = flatten('', settings)
  if (isObject(settings) && 'listen' in settings) members.set('listen', String(settings.listen !== null))
  for (const path of inMilliseconds) {
    const value = members.get(path)
    if (typeof value === 'string' && /^\d+$/.test(value)) members.set(path, durationText(Number(value)))
  }
  return members
}

/** Members whose options are durations. */
const inMilliseconds = ['proxy.maxHold', 'proxy.drainTimeout']

/** Options of members that all components read alike; documented by `muster explain`. */
const options: Readonly<Record<string, string>> = {
  logLevel: 'log-level',
  remoteBootstrap: 'rest-api-remote-bootstrap',
  allowedHosts: 'rest-api-allowed-hosts',
  'database.type': 'datasource-type',
  'database.host': 'replication-host',
  'database.port': 'replication-port',
  'database.user': 'replication-user',
  'monitor.user': 'monitor-user',
  'proxy.address': 'application-address',
  'proxy.port': 'application-port',
  'proxy.readonlyPort': 'application-readonly-port',
  'proxy.maxHeld': 'connector-max-held',
  'proxy.maxHold': 'connector-max-hold',
  'proxy.drainTimeout': 'connector-drain-timeout',
}

/** The option that a member comes from; its path where it has none of its own. */
function optionName(path: string, component: Component): string {
  if (Object.hasOwn(options, path)) return options[path] ?? path
  const [first, ...rest] = path.split('.')
  if (first === 'listen') return [`${component}-rest-api`, ...rest].join('-')
  return path.replace(/^services\.services\./, 'services.')
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
