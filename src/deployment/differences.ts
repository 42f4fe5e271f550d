import { isObject } from '../base/json.ts'
import { durationText } from '../base/time.ts'
import { accessOptions } from '../config/settings/accessOptions.ts'
import { connectorOptions } from '../config/settings/connectorOptions.ts'
import { databaseOptions, monitorOptions, switchOptions } from '../config/settings/databaseOptions.ts'
import { installationOptions } from '../config/settings/installationOptions.ts'
import type { Setting, SettingGroup } from '../config/settings/setting.ts'
import { duration } from '../config/types/duration.ts'
import type { Component } from '../contracts/component.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'

/** Names of members with secret values; `secretsFile` is only a path. */
const secretName = /pass(word|phrase|wd)?|secret(?!sFile)|token|credential/i

/** Returns true for a name whose value may be secret. */
const namesSecret = (name: string): boolean => secretName.test(name)

/**
 * Redacts a line of a host's file. What muster writes holds no secret, but an administrator may have added one: an
 * environment variable of a service, for example. The name before the first `=` stays.
 */
function redactLine(line: string): string {
  // It continues a line above, whose name is unknown here.
  if (/^\s/.test(line)) return '[redacted]'
  const at = line.indexOf('=')
  if (!namesSecret(line) && !/^Environment=/i.test(line)) return line
  return `${line.slice(0, at + 1)}[redacted]`
}

/** Maximum number of lines that a plan shows of one file's difference. */
const maxLines = 20
/** Maximum number of characters per line. */
const maxLineLength = 160

/** Control and format characters, which move a terminal's cursor or are invisible. */
const unprintable = /[\p{Cc}\p{Cf}]/gu

/** Returns the first lines of a difference, truncated, and the number of further lines. */
function truncated(lines: readonly string[]): readonly string[] {
  const shown = lines
    .slice(0, maxLines)
    .map((line) => line.replaceAll(unprintable, '\ufffd'))
    .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength - 1)}…` : line))
  const more = lines.length - shown.length
  return more === 0 ? shown : [...shown, `and ${more} more ${more === 1 ? 'line' : 'lines'}`]
}

/** Maximum number of lines of a text that is compared: what muster writes has a tenth. */
const maxComparedLines = 1000

/**
 * Returns the smallest line difference as `- line` and `+ line` in the order of the texts. Empty if no line differs,
 * or if a text is too long to compare.
 */
export function lineDifference(before: string, after: string): readonly string[] {
  const [was, is] = [linesOf(before), linesOf(after)]
  if (was.length > maxComparedLines || is.length > maxComparedLines) return []
  return truncated(differing(was, is))
}

const linesOf = (text: string): readonly string[] => text.replace(/\n$/, '').split('\n')

function differing(was: readonly string[], is: readonly string[]): readonly string[] {
  const common = commonLengths(was, is)
  const lines: string[] = []
  let [at, to] = [0, 0]
  while (at < was.length || to < is.length) {
    const [gone, come] = [was[at], is[to]]
    if (gone !== undefined && gone === come) {
      at++
      to++
    } else if (
      come === undefined ||
      (gone !== undefined && lengthAt(common, at + 1, to) >= lengthAt(common, at, to + 1))
    ) {
      // The file on the host may not be from muster.
      lines.push(`- ${redactLine(gone ?? '')}`)
      at++
    } else {
      lines.push(`+ ${come}`)
      to++
    }
  }
  return lines
}

const lengthAt = (common: readonly (readonly number[])[], at: number, to: number): number =>
  common[at]?.[to] ?? 0

/** Returns for each pair of positions the length of the longest common subsequence that follows. */
function commonLengths(was: readonly string[], is: readonly string[]): readonly (readonly number[])[] {
  const common: number[][] = Array.from({ length: was.length + 1 }, () => [])
  for (let at = was.length - 1; at >= 0; at--) {
    const row = common[at] ?? []
    for (let to = is.length - 1; to >= 0; to--) {
      row[to] =
        was[at] === is[to]
          ? lengthAt(common, at + 1, to + 1) + 1
          : Math.max(lengthAt(common, at + 1, to), lengthAt(common, at, to + 1))
    }
  }
  return common
}

/** Value as it is shown; a list of words stays a list, so that only its changes are shown. */
type ShownValue = string | readonly string[]

/**
 * Returns one line per member that differs, named as in the YAML, such as `manager-rest-api-port: 8090 → 18090` or
 * `rest-api-allowed-hosts: - db1, + db2`; what no option sets, such as a path, has a name in words. Empty if the old
 * settings are no object.
 */
export function settingsDifference(before: unknown, after: ServerSettings): readonly string[] {
  const old = membersOf(before)
  if (old.size === 0) return []
  const wanted = membersOf(after)
  const names = [...new Set([...old.keys(), ...wanted.keys()])]
  return truncated(
    names.flatMap((path) => {
      const [name, from, to] = [optionName(path, after.component), old.get(path), wanted.get(path)]
      if (textOf(from) === textOf(to)) return []
      // The file on the host may not be from muster.
      return namesSecret(path) ? [`${name}: [redacted] changed`] : memberDifference(name, from, to)
    }),
  )
}

/** Returns the members of settings by path; a listener that is switched off is `false`, as in the file. */
function membersOf(settings: unknown): Map<string, ShownValue> {
  const members = flatten('', settings)
  if (isObject(settings) && 'listen' in settings) members.set('listen', String(settings.listen !== null))
  for (const [path, value] of members) {
    const option = optionsByPath.get(path)
    // An option without a value is null there.
    if (option !== undefined && value === 'null') members.delete(path)
    const isDuration = option?.type === duration
    if (isDuration && typeof value === 'string' && /^\d+$/.test(value)) {
      members.set(path, durationText(Number(value)))
    }
  }
  return members
}

/** Options that settings take as they are, at the member of the same name. */
const optionGroups: Readonly<Record<string, SettingGroup>> = {
  '': { ...accessOptions, ...installationOptions },
  'database.': databaseOptions,
  'monitor.': monitorOptions,
  'switching.': { ...switchOptions, user: databaseOptions.user, maxHold: connectorOptions.maxHold },
  'proxy.': connectorOptions,
}

/** Options by the path of their member; no secrets, which are never in settings. */
const optionsByPath: ReadonlyMap<string, Setting<unknown>> = new Map(
  Object.entries(optionGroups).flatMap(([group, settings]) =>
    Object.entries(settings)
      .filter(([, { secret }]) => !secret)
      .map(([member, setting]) => [`${group}${member}`, setting] as const),
  ),
)

/** Names of members without an option: the key of the YAML that they come from, else words. */
const otherNames: Readonly<Record<string, string>> = {
  version: 'format of the settings',
  host: 'hosts',
  socket: 'socket of the API',
  'tls.key': 'file of the TLS key',
  'tls.chain': 'file of the certificate',
  'tls.authorities': 'file of the authorities',
  usersFile: 'file of the users',
  auditFile: 'file of the audit log',
  secretsFile: 'file of the passwords',
  stateFile: 'file of the state',
  'log.file': 'file of the log',
  pidFile: 'pid file',
  connectorSocket: 'socket of the connector',
  managerSocket: 'socket of the manager',
  replicatorSocket: 'socket of the replicator',
  dashboard: 'manager-dashboard',
  user: 'system user',
  'member.service': 'service',
  'member.datasource': 'data source',
  'member.witness': 'one of the witnesses',
  'database.service': 'service of replication-user',
  'proxy.service': 'service of application-port',
  unreachableManagers: 'managers that cannot be reached',
}

/** Names of members that exist once for each service or host, whose name is `$1`. */
const namesByPattern: readonly (readonly [RegExp, string])[] = [
  [/^services\.services\.(.+)\.datasources\.(.+)$/, 'services.$1.members.$2'],
  [/^services\.services\.(.+)$/, 'services.$1'],
  [/^services\.services$/, 'services'],
  [/^peers\.(.+)\.names$/, 'names of $1'],
  [/^managers\.(.+)\.names$/, 'names of the manager of $1'],
  [/^managers\.(.+)\.address$/, 'hosts.$1.address'],
  [/^managers\.(.+)\.port$/, 'manager-rest-api-port of $1'],
  [/^dashboard\.([^.]+).*$/, 'host $1 on the dashboard'],
]

/** Returns the name of a member for people; the path of one that this version does not know. */
function optionName(path: string, component: Component): string {
  const known = optionsByPath.get(path)?.name ?? otherNames[path]
  if (known !== undefined) return known
  const [first, ...rest] = path.split('.')
  if (first === 'listen') return [`${component}-rest-api`, ...rest].join('-')
  const [pattern, name] = namesByPattern.find(([one]) => one.test(path)) ?? []
  return pattern === undefined || name === undefined ? path : path.replace(pattern, name)
}

function memberDifference(
  name: string,
  from: ShownValue | undefined,
  to: ShownValue | undefined,
): readonly string[] {
  if (from === undefined || to === undefined || typeof from === 'string' || typeof to === 'string') {
    return [`${name}: ${textOf(from)} → ${textOf(to)}`]
  }
  const gone = from.filter((word) => !to.includes(word)).map((word) => `- ${word}`)
  const come = to.filter((word) => !from.includes(word)).map((word) => `+ ${word}`)
  const words = [...gone, ...come]
  return [`${name}: ${words.length === 0 ? 'another order' : words.join(', ')}`]
}

/** Formats a value of a list; an object as JSON, because an object from a host may have no text form. */
const wordOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

const textOf = (shown: ShownValue | undefined): string =>
  shown === undefined ? 'none' : typeof shown === 'string' ? shown : shown.join(', ')

function flatten(path: string, value: unknown): Map<string, ShownValue> {
  if (Array.isArray(value)) return ofList(path, value)
  if (!isObject(value)) return new Map(path === '' ? [] : [[path, String(value)]])
  return ofMembers(path, Object.entries(value))
}

const ofMembers = (path: string, members: readonly (readonly [string, unknown])[]): Map<string, ShownValue> =>
  new Map(members.flatMap(([key, member]) => [...flatten(path === '' ? key : `${path}.${key}`, member)]))

/** Keys services and data sources by name; each data source is one line, such as `10.0.0.11 3306 primary`. */
function ofList(path: string, items: readonly unknown[]): Map<string, ShownValue> {
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
