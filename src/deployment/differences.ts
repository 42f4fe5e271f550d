import { isObject } from '../base/json.ts'
import { durationText } from '../base/time.ts'
import { shortListOf } from '../base/words.ts'
import { accessOptions } from '../config/settings/accessOptions.ts'
import { clusterPortOption } from '../config/settings/apiOptions.ts'
import { connectorOptions } from '../config/settings/connectorOptions.ts'
import {
  databaseAuthorityOption,
  databaseOptions,
  monitorOptions,
  switchOptions,
} from '../config/settings/databaseOptions.ts'
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

/** Change of an option; `change` is such as `8090 → 18090`. */
type OptionChange = { readonly name: string; readonly change: string }

/** Change of what a host knows of hosts of the cluster; it mostly follows from a change of those. */
export type KnownChange = OptionChange & { readonly hosts: readonly string[] }

/** Difference of the settings of a component: in options of the host, and in what it knows of hosts. */
type SettingsDifference = {
  readonly own: readonly OptionChange[]
  readonly known: readonly KnownChange[]
}

/** Name of the change of a host that the settings did not know, or know no more. */
const wholeHost = 'host'

export const optionChangeText = ({ name, change }: OptionChange): string => `${name}: ${change}`

/** Writes a change such as `manager-rest-api-port of db2 and db3: 8090 → 18090`. */
export function knownChangeText({ name, change, hosts }: KnownChange): string {
  const of = shortListOf(hosts, 8)
  return name === wholeHost ? `host ${of}: ${change}` : `${name} of ${of}: ${change}`
}

/**
 * Returns the members that differ, named as in the YAML, such as `manager-rest-api-port: 8090 → 18090` or
 * `rest-api-allowed-hosts: - db1, + db2`; what no option sets, such as a path, has a name in words. Empty if the old
 * settings are no object.
 */
export function settingsDifference(before: unknown, after: ServerSettings): SettingsDifference {
  const old = membersOf(before)
  if (old.size === 0) return { own: [], known: [] }
  const wanted = membersOf(after)
  // A list that comes or goes as a whole is one line.
  const lists = hostLists.filter(
    (list) => (hostsOf(before, list) === undefined) !== (hostsOf(after, list) === undefined),
  )
  const shown = (settings: unknown): boolean => hostsOf(settings, 'dashboard') !== undefined
  const own: OptionChange[] = lists.includes('dashboard')
    ? [{ name: 'manager-dashboard', change: `${shown(before)} → ${shown(after)}` }]
    : []
  const known = createKnownChanges()
  const differing: string[] = []
  for (const path of new Set([...old.keys(), ...wanted.keys()])) {
    const [from, to] = [old.get(path), wanted.get(path)]
    if (textOf(from) === textOf(to)) continue
    const source = movedSource(path, { from, to })
    if (isAboutHosts(path)) differing.push(path)
    else if (source !== undefined) known.add(source.host, source)
    // The file on the host may not be from muster.
    else {
      const change = namesSecret(path) ? '[redacted] changed' : memberDifference(from, to)
      own.push({ name: optionName(path, after.component), change })
    }
  }
  const kept = hostLists.filter((list) => !lists.includes(list) && hostsOf(after, list) !== undefined)
  const listed = (settings: unknown): ReadonlySet<string> =>
    new Set(kept.flatMap((list) => hostsOf(settings, list) ?? []))
  const [were, are] = [listed(before), listed(after)]
  const about = (settings: unknown, members: ReadonlyMap<string, ShownValue>) =>
    knownHosts(settings, { members, paths: differing, without: lists })
  const [was, is] = [about(before, old), about(after, wanted)]
  for (const host of new Set([...was.keys(), ...is.keys()])) {
    if (kept.length > 0 && were.has(host) !== are.has(host)) {
      known.add(host, { name: wholeHost, change: are.has(host) ? 'new' : 'removed' })
      continue
    }
    for (const name of new Set([...(was.get(host)?.keys() ?? []), ...(is.get(host)?.keys() ?? [])])) {
      const [from, to] = [was.get(host)?.get(name), is.get(host)?.get(name)]
      if (textOf(from) === textOf(to)) continue
      known.add(host, { name, change: namesSecret(name) ? '[redacted] changed' : memberDifference(from, to) })
    }
  }
  return { own, known: known.all() }
}

/** Collects changes of what is known of hosts: those that are equal for several hosts are one. */
function createKnownChanges() {
  const changes = new Map<string, OptionChange & { readonly hosts: Set<string> }>()
  return {
    add: (host: string, { name, change }: OptionChange): void => {
      const key = `${name}\0${change}`
      const one = changes.get(key) ?? { name, change, hosts: new Set() }
      one.hosts.add(host)
      changes.set(key, one)
    },
    all: (): readonly KnownChange[] =>
      [...changes.values()].map((one) => ({ ...one, hosts: [...one.hosts] })),
  }
}

/** Merges the differences of several components of a host. */
export function mergeKnown(all: readonly KnownChange[]): readonly KnownChange[] {
  const merged = createKnownChanges()
  for (const one of all) for (const host of one.hosts) merged.add(host, one)
  return merged.all()
}

/** Lists a difference with one line for each host that is known, truncated. */
export const changeLines = (own: readonly string[], known: readonly KnownChange[]): readonly string[] =>
  truncated([
    ...own,
    ...known.flatMap((one) => one.hosts.map((host) => knownChangeText({ ...one, hosts: [host] }))),
  ])

/** Members of settings that list hosts. */
const hostLists = ['dashboard', 'managers', 'peers'] as const
type HostList = (typeof hostLists)[number]

/** Returns the names in a list of hosts; undefined if the settings have no such list. */
function hostsOf(settings: unknown, list: HostList): readonly string[] | undefined {
  const hosts = isObject(settings) ? settings[list] : undefined
  if (!Array.isArray(hosts)) return undefined
  return hosts.flatMap((one) => (isObject(one) && typeof one.name === 'string' ? [one.name] : []))
}

/** What settings know of a host, by the path of its member. `$1` is the host, `$2` a component. */
const knownMembers: readonly (readonly [RegExp, string])[] = [
  [/^dashboard\.(.+)\.apis\.([a-z]+)\.listen\.port$/, '$2-rest-api-port'],
  [/^dashboard\.(.+)\.apis\.([a-z]+)\.listen\.address$/, 'address of the $2'],
  [/^dashboard\.(.+)\.apis\.([a-z]+)(?:\.listen)?$/, 'API of the $2'],
  [/^dashboard\.(.+)\.clients\.service$/, 'service of application-port'],
  [/^dashboard\.(.+)\.clients\.readWrite$/, 'application-port'],
  [/^dashboard\.(.+)\.clients\.readOnly$/, 'application-readonly-port'],
  [/^dashboard\.(.+)\.address$/, 'address'],
  [/^managers\.(.+)\.address$/, 'address of the manager'],
  [/^managers\.(.+)\.port$/, 'cluster-port'],
  [/^dashboard\.(.+)\.channel\.port$/, 'cluster-port'],
  [/^dashboard\.(.+)\.channel(?:\.address)?$/, 'address of the manager'],
  [/^(?:dashboard|managers|peers)\.(.+)\.names$/, 'names'],
  [/^(?:dashboard|managers|peers)\.([^.]+)\.(.+)$/, '$2'],
  [/^(?:dashboard|managers|peers)\.(.+)$/, 'names'],
]

/** Returns the host that a member is about, and its name for people; undefined for a member about no host. */
function knownMember(path: string): { readonly host: string; readonly name: string } | undefined {
  for (const [pattern, name] of knownMembers) {
    const found = pattern.exec(path)
    if (found !== null) return { host: found[1] ?? '', name: name.replace('$2', found[2] ?? '') }
  }
  return undefined
}

const isAboutHosts = (path: string): boolean => hostLists.some((list) => path.startsWith(`${list}.`))

/** Returns what settings know of each host at these paths; of the lists `without`, only who is listed. */
function knownHosts(
  settings: unknown,
  of: {
    readonly members: ReadonlyMap<string, ShownValue>
    readonly paths: readonly string[]
    readonly without: readonly HostList[]
  },
): ReadonlyMap<string, ReadonlyMap<string, ShownValue>> {
  const hosts = new Map<string, Map<string, ShownValue>>()
  const set = (host: string, name: string, value: ShownValue): void => {
    const known = hosts.get(host) ?? new Map<string, ShownValue>()
    hosts.set(host, known.set(name, value))
  }
  for (const host of hostsOf(settings, 'managers') ?? []) set(host, 'manager', 'reached')
  for (const host of hostsOf(settings, 'peers') ?? []) set(host, 'login by certificate', 'allowed')
  for (const path of of.paths) {
    const [value, member] = [of.members.get(path), knownMember(path)]
    const isLeftOut = of.without.some((list) => path.startsWith(`${list}.`))
    if (value === undefined || value === 'null' || member === undefined || isLeftOut) continue
    const { host, name } = member
    const at = isClientPort(name) && typeof value === 'string' ? /^(.*):(\d+)$/.exec(value) : null
    set(host, name, at?.[2] ?? value)
    if (at?.[1] !== undefined) set(host, 'address for clients', at[1])
  }
  return hosts
}

const isClientPort = (name: string): boolean =>
  name === connectorOptions.port.name || name === connectorOptions.readonlyPort.name

/** Returns the change of a data source of which only the port changes: it follows from its host's option. */
function movedSource(
  path: string,
  { from, to }: { readonly from: ShownValue | undefined; readonly to: ShownValue | undefined },
): (OptionChange & { readonly host: string }) | undefined {
  const host = /^services\.services\..+\.datasources\.(.+)$/.exec(path)?.[1]
  if (host === undefined || typeof from !== 'string' || typeof to !== 'string') return undefined
  const [was, is] = [from.split(' '), to.split(' ')]
  const onlyPort = was.length === 3 && is.length === 3 && was[0] === is[0] && was[2] === is[2]
  return onlyPort ? { host, name: databaseOptions.port.name, change: `${was[1]} → ${is[1]}` } : undefined
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
  user: 'system user',
  'member.service': 'service',
  'member.datasource': 'data source',
  'member.witness': 'one of the witnesses',
  'channel.address': 'address of cluster-port',
  'channel.port': clusterPortOption.name,
  'databaseProof.authorities': databaseAuthorityOption.name,
  'databaseProof.ownNames': 'names of the database',
  'database.service': 'service of replication-user',
  'proxy.service': 'service of application-port',
}

/** Names of members that exist once for each service or host, whose name is `$1`. */
const namesByPattern: readonly (readonly [RegExp, string])[] = [
  [/^services\.services\.(.+)\.datasources\.(.+)$/, 'services.$1.members.$2'],
  [/^services\.services\.(.+)$/, 'services.$1'],
  [/^services\.services$/, 'services'],
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

function memberDifference(from: ShownValue | undefined, to: ShownValue | undefined): string {
  if (from === undefined || to === undefined || typeof from === 'string' || typeof to === 'string') {
    return `${textOf(from)} → ${textOf(to)}`
  }
  const gone = from.filter((word) => !to.includes(word)).map((word) => `- ${word}`)
  const come = to.filter((word) => !from.includes(word)).map((word) => `+ ${word}`)
  const words = [...gone, ...come]
  return words.length === 0 ? 'another order' : words.join(', ')
}

/** Formats a value of a list; an object as its members, because an object from a host may have no text form. */
const wordOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(wordOf).join(' ')
  if (!isObject(value)) return String(value)
  return Object.entries(value)
    .map(([key, member]) => `${key} ${wordOf(member)}`)
    .join(' ')
}

const textOf = (shown: ShownValue | undefined): string =>
  shown === undefined ? 'none' : typeof shown === 'string' ? shown : shown.join(', ')

function flatten(path: string, value: unknown): Map<string, ShownValue> {
  if (Array.isArray(value)) return ofList(path, value)
  if (!isObject(value)) return new Map(path === '' ? [] : [[path, String(value)]])
  return ofMembers(path, Object.entries(value))
}

const ofMembers = (path: string, members: readonly (readonly [string, unknown])[]): Map<string, ShownValue> =>
  new Map(members.flatMap(([key, member]) => [...flatten(path === '' ? key : `${path}.${key}`, member)]))

/** Keys services, hosts, APIs and data sources by name; each data source is one line, such as `10.0.0.11 3306 primary`. */
function ofList(path: string, items: readonly unknown[]): Map<string, ShownValue> {
  if (items.length === 0) return new Map()
  const key = ['name', 'component'].find((one) =>
    items.every((item) => isObject(item) && typeof item[one] === 'string'),
  )
  if (key === undefined) return new Map([[path, items.map(wordOf)]])
  const named = items.filter(isObject).map(({ [key]: name, ...rest }) => {
    const nested = Object.values(rest).some((member) => typeof member === 'object')
    return [wordOf(name), nested ? rest : Object.values(rest).map(wordOf).join(' ')] as const
  })
  return ofMembers(path, named)
}
