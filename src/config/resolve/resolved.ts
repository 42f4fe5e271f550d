import type { Component } from '../../contracts/component.ts'
import type { Span } from '../../diagnostics/diagnostic.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import type { Paths } from '../paths.ts'
import { options } from '../settings/options.ts'
import type { Given, Setting, SettingGroup, ValuesOf } from '../settings/setting.ts'
import type { UserEntry } from '../settings/userMap.ts'
import type { Draft, HostDraft, ServiceDraft, Values } from '../shape/draft.ts'
import { oncePer } from './oncePer.ts'

/** Groups items by place, so that one line in `defaults` gives one finding for all its hosts. */
export function groupBySpan<T extends { readonly span: Span }>(
  items: readonly T[],
): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const item of items) {
    const key = `${item.span.line}:${item.span.column}:${item.span.file}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return [...groups.values()]
}

/** Negative if `a` is before `b`; `files` gives the order of the files. */
export function comparePlaces(a: Span, b: Span, files: readonly string[]): number {
  return files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column
}

/** Layer of a value, lowest first. */
export type Origin = 'default' | 'defaults' | 'service' | 'host' | 'set'

/** A value after all layers; a value of the wrong type counts as the default, and `given` has its place. */
export type Resolved<T> = {
  readonly value: T | undefined
  readonly origin: Origin
  readonly given?: Given
}

export type ResolvedHost = {
  readonly name: string
  /** Position of its name in `hosts`. */
  readonly span: Span
  readonly draft: HostDraft
  /** The services that name it, in the order of the file. */
  readonly services: readonly ServiceDraft[]
  /** In the order manager, connector, replicator. */
  readonly components: readonly Component[]
  readonly connection: 'ssh' | 'local'
  readonly address: string
  /**
   * The services whose clients its connector takes: those with databases, or, if none has, all its services
   * if the file gives an application port. A connector supports one only.
   */
  readonly proxied: readonly ServiceDraft[]
  readonly option: <T>(setting: Setting<T>) => Resolved<T>
  readonly ssh: <T>(setting: Setting<T>) => Resolved<T>
}

/** Resolved configuration for the rules. */
export type ResolvedCluster = {
  /** All files merged, later ones over earlier ones. */
  readonly draft: Draft
  /** Each file alone, lowest layer first. */
  readonly drafts: readonly Draft[]
  /** Values of the command line. */
  readonly sets: Values
  readonly hosts: readonly ResolvedHost[]
  readonly paths: Paths
  /** Shown names of the files, lowest layer first. */
  readonly files: readonly string[]
  /** Returns true if a file exists; absent if that cannot be checked. */
  readonly exists?: (path: string) => boolean
}

/** Hosts by their names. */
export type HostsByName = ReadonlyMap<string, ResolvedHost>

/** Returns hosts by their names; one map for each list, so that what depends on it is derived once. */
export const hostsByName = oncePer(
  (hosts: readonly ResolvedHost[]): HostsByName => new Map(hosts.map((host) => [host.name, host])),
)

/** Returns the values of those settings of a group that have a default. */
export function valuesOf<Group extends SettingGroup>(
  group: Group,
  resolve: ResolvedHost['option'],
): ValuesOf<Group> {
  const defaulted = Object.entries(group).filter(([, setting]) => setting.default !== undefined)
  return Object.fromEntries(
    defaulted.map(([member, setting]) => [member, resolve(setting).value]),
  ) as ValuesOf<Group>
}

/** A user of `rest-api-users` with its optional password. */
export type ResolvedUser = Resolved<SecretReference> & { readonly given: UserEntry }

/** Lists the users of a host beside its administrator, in the order of the file. */
export function usersOf(host: Pick<ResolvedHost, 'option'>): readonly ResolvedUser[] {
  const { value = [], origin } = host.option(options.users)
  return value.map((given) => ({ value: given.value, origin, given }))
}
