import type { Span } from '../../diagnostics/diagnostic.ts'
import type { Given, Setting } from '../settings/setting.ts'

/** What a group of a file gives, by the settings' names. */
export type Values = ReadonlyMap<string, Given>

const noValues: Values = new Map()

/** What is given for a setting, whether usable or not. */
export const givenFor = (values: Values, setting: Setting<unknown>): Given | undefined =>
  values.get(setting.name)

/** The usable value that is given for a setting. */
export function valueFor<T>(values: Values, setting: Setting<T>): T | undefined {
  // Only this setting's own type ever put a value under its name.
  return values.get(setting.name)?.value as T | undefined
}

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
