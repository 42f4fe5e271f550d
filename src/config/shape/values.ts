import type { Span } from '../../diagnostics/diagnostic.ts'
import type { Setting } from '../settings/setting.ts'

/** One setting as a file gives it. */
export type Given = {
  readonly setting: Setting<unknown>
  /** As written: the name or one of its aliases. */
  readonly spelling: string
  readonly keySpan: Span
  readonly span: Span
  /** Absent when what was written cannot be used; its finding is made already. */
  readonly value?: unknown
}

/** What a group of a file gives, by the settings' names. */
export type Values = ReadonlyMap<string, Given>

export const noValues: Values = new Map()

/** What is given for a setting, whether usable or not. */
export const givenFor = (values: Values, setting: Setting<unknown>): Given | undefined =>
  values.get(setting.name)

/** The usable value that is given for a setting. */
export function valueFor<T>(values: Values, setting: Setting<T>): T | undefined {
  // Only this setting's own type ever put a value under its name.
  return values.get(setting.name)?.value as T | undefined
}
