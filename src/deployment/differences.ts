import { isObject, parseJson } from '../base/json.ts'
import { durationText } from '../base/time.ts'
import type { Component } from '../contracts/component.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'

/** Names whose values nobody should see; `secretsFile` is only a path. */
const secretName = /pass(word|phrase|wd)?|secret(?!sFile)|token|credential/i

/** Whether something by that name may hold a secret. */
const namesSecret = (name: string): boolean => secretName.test(name)

/**
 * A line of a host's own file as it may be shown. What we write holds no secret, but somebody may have written
 * one there by hand: an environment for a service, say. The name before the first `=` stays.
 */
function withoutSecrets(line: string): string {
  // It goes on from a line above, whose name is not known here.
  if (/^\s/.test(line)) return '[redacted]'
  const at = line.indexOf('=')
  if (!namesSecret(line) && !/^Environment=/i.test(line)) return line
  return `${line.slice(0, at + 1)}[redacted]`
}

/** Lines of one file's difference that a plan shows at most. */
const mostLines = 20
/** Characters of one line. */
const longest = 160

/** What moves a terminal's cursor or cannot be seen on it. */
const unseen = /[\p{Cc}\p{Cf}]/gu

/** What is shown of a difference: its first lines, none too long, and how many more there are. */
function shortened(lines: readonly string[]): readonly string[] {
  const shown = lines
    .slice(0, mostLines)
    .map((line) => line.replaceAll(unseen, '\ufffd'))
    .map((line) => (line.length > longest ? `${line.slice(0, longest - 1)}…` : line))
  const more = lines.length - shown.length
  return more === 0 ? shown : [...shown, `and ${more} more ${more === 1 ? 'line' : 'lines'}`]
}

/** Lines above which two texts are not compared: what we write has a tenth. */
const most = 1000

/**
 * How a text of a host becomes another, as `- line` and `+ line` in the order of the texts: the fewest that
 * there can be, and of them the first. Empty where no line differs, or where a text is too long to compare.
 */
export function lineDifference(before: string, after: string): readonly string[] {
  const [was, is] = [linesOf(before), linesOf(after)]
  if (was.length > most || is.length > most) return []
  return shortened(differing(was, is))
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
      // What the host has need not be ours.
      lines.push(`- ${withoutSecrets(gone ?? '')}`)
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

/** Of each pair of places, how long the longest sequence is that both texts have behind them. */
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
