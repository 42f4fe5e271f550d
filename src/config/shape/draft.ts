import type { Span } from '../../diagnostics/diagnostic.ts'
import { noValues, type Values } from './values.ts'

/** A service as the files give it. */
export type ServiceDraft = {
  readonly name: string
  readonly span: Span
  readonly fields: Values
  readonly options: Values
}

/** A host as the files give it. */
export type HostDraft = {
  readonly name: string
  readonly span: Span
  readonly fields: Values
  readonly ssh: Values
  readonly options: Values
}

/** What the files say, before anything is resolved. Groups that are absent are empty; their spans tell. */
export type Draft = {
  readonly fields: Values
  readonly defaults: Values
  readonly ssh: Values
  readonly services: ReadonlyMap<string, ServiceDraft>
  readonly hosts: ReadonlyMap<string, HostDraft>
  /** Groups that a file names, with the place of the name; `bad` when it holds something else than a group. */
  readonly groups: ReadonlyMap<string, { readonly span: Span; readonly bad: boolean }>
}

export const emptyDraft: Draft = {
  fields: noValues,
  defaults: noValues,
  ssh: noValues,
  services: new Map(),
  hosts: new Map(),
  groups: new Map(),
}
