import type { Span } from '../../diagnostics/diagnostic.ts'
import type { Given, Setting } from '../settings/setting.ts'

/** Values of a group, by the settings' names. */
export type Values = ReadonlyMap<string, Given>

const noValues: Values = new Map()

/** Returns the entry for a setting, usable or not. */
export const givenFor = (values: Values, setting: Setting<unknown>): Given | undefined =>
  values.get(setting.name)

/** Returns the usable value of a setting. */
export function valueFor<T>(values: Values, setting: Setting<T>): T | undefined {
  // Only this setting's own type ever put a value under its name.
  return values.get(setting.name)?.value as T | undefined
}

/** A service in the files. */
export type ServiceDraft = {
  readonly name: string
  readonly span: Span
  readonly fields: Values
  readonly options: Values
}

/** A host in the files. */
export type HostDraft = {
  readonly name: string
  readonly span: Span
  readonly fields: Values
  readonly ssh: Values
  readonly options: Values
}

/** Contents of the files before they are resolved. Missing groups are empty; only `groups` distinguishes them from empty ones. */
export type Draft = {
  readonly fields: Values
  readonly defaults: Values
  readonly ssh: Values
  readonly hooks: Values
  readonly services: ReadonlyMap<string, ServiceDraft>
  readonly hosts: ReadonlyMap<string, HostDraft>
  /** Groups in a file, with the place of the name; `bad` if it is not a group. */
  readonly groups: ReadonlyMap<string, { readonly span: Span; readonly bad: boolean }>
}

export const emptyDraft: Draft = {
  fields: noValues,
  defaults: noValues,
  ssh: noValues,
  hooks: noValues,
  services: new Map(),
  hosts: new Map(),
  groups: new Map(),
}
