import type { Component } from '../../contracts/component.ts'
import type { Span } from '../../diagnostics/diagnostic.ts'
import type { Paths } from '../paths.ts'
import type { Setting } from '../settings/setting.ts'
import type { Draft, HostDraft, ServiceDraft } from '../shape/draft.ts'
import type { Given, Values } from '../shape/values.ts'

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
