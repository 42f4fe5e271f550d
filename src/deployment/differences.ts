import { isObject, parseJson } from '../base/json.ts'
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
 * Returns one line per member that differs, named by its option if it has one, such as `manager-rest-api-port: 8090 →
 * 18090` or `rest-api-allowed-hosts: - db1, + db2`; empty if the old text is not JSON.
 */
export function settingsDifference(before: string, after: ServerSettings): readonly string[] {
  const old = membersOf(parseJson(before))
  if (old.size === 0) return []
  const wanted = membersOf(after)
  const names = [...new Set([...old.keys(), ...wanted.keys()])]
  return truncated(
    names.flatMap((name) =>
      memberDifference(optionName(name, after.component), old.get(name), wanted.get(name)),
    ),
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
  'switching.': switchOptions,
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

/** Returns the option that a member comes from; its path if it has none. */
function optionName(path: string, component: Component): string {
  const option = optionsByPath.get(path)
  if (option !== undefined) return option.name
  const [first, ...rest] = path.split('.')
  if (first === 'listen') return [`${component}-rest-api`, ...rest].join('-')
  return path.replace(/^services\.services\./, 'services.')
}

function memberDifference(
  name: string,
  from: ShownValue | undefined,
  to: ShownValue | undefined,
): readonly string[] {
  if (textOf(from) === textOf(to)) return []
  // The file on the host may not be from muster.
  if (namesSecret(name)) return [`${name}: [redacted] changed`]
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
