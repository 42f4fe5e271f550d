import type { Component } from '../../contracts/component.ts'
import type { Span } from '../../diagnostics/diagnostic.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import type { Paths } from '../paths.ts'
import { options } from '../settings/options.ts'
import type { SecretEntry } from '../settings/secretMap.ts'
import type { Given, Setting } from '../settings/setting.ts'
import type { Draft, HostDraft, ServiceDraft, Values } from '../shape/draft.ts'

/** Gathers what stands at the same place, so that one line in `defaults` makes one finding for all its hosts. */
export function bySpan<T extends { readonly span: Span }>(
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

/** Negative when `a` stands before `b`; `files` orders the files. */
export function comparePlaces(a: Span, b: Span, files: readonly string[]): number {
  return files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column
}

/** Which layer a value came from, lowest first. */
export type Origin = 'default' | 'defaults' | 'service' | 'host' | 'set'

/** A value after all layers; a value of the wrong type counts as the default, with `given` telling where it is. */
export type Resolved<T> = {
  readonly value: T | undefined
  readonly origin: Origin
  readonly given?: Given
}

export type ResolvedHost = {
  readonly name: string
  /** Where its name stands under `hosts`. */
  readonly span: Span
  readonly draft: HostDraft
  /** The services that name it, in the order of the file. */
  readonly services: readonly ServiceDraft[]
  /** In the order manager, connector, replicator. */
  readonly components: readonly Component[]
  readonly connection: 'ssh' | 'local'
  readonly address: string
  /**
   * The services whose clients its connector takes: those with databases, or without any all of its own where
   * the file gives an application port. A connector can take those of one only.
   */
  readonly proxied: readonly ServiceDraft[]
  readonly option: <T>(setting: Setting<T>) => Resolved<T>
  readonly ssh: <T>(setting: Setting<T>) => Resolved<T>
}

/** What the rules judge. */
export type ResolvedCluster = {
  /** All files together, later ones over earlier ones. */
  readonly draft: Draft
  /** Each file by itself, lowest layer first. */
  readonly drafts: readonly Draft[]
  /** What the command line gives. */
  readonly sets: Values
  readonly hosts: readonly ResolvedHost[]
  readonly paths: Paths
  /** Shown names of the files, lowest layer first. */
  readonly files: readonly string[]
  /** Whether a file is there, where that can be asked. */
  readonly exists?: (path: string) => boolean
}

/** The value of a setting that has a default, which always has one. */
export function known<T>(resolved: Resolved<T>): T {
  if (resolved.value === undefined) throw new Error('a setting without a default was taken for one with it')
  return resolved.value
}

/** A user of `rest-api-users` and the password that the file gives, if it does. */
export type ResolvedUser = Resolved<SecretReference> & { readonly given: SecretEntry }

/** The users that a host is given beside its administrator, in the order of the file. */
export function usersOf(host: Pick<ResolvedHost, 'option'>): readonly ResolvedUser[] {
  const { value = [], origin } = host.option(options.users)
  return value.map((given) => ({ value: given.value, origin, given }))
}
