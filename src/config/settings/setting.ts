import type { Component } from '../../contracts/component.ts'
import type { ServerOption, ServerOptions } from '../../contracts/serverOptions.ts'
import type { Span } from '../../diagnostics/diagnostic.ts'
import { readPage } from '../../diagnostics/page.ts'
import { networks } from '../types/addresses.ts'
import { duration } from '../types/duration.ts'
import { boolean, countType } from '../types/scalars.ts'
import type { ValueType } from '../types/type.ts'
import pageTexts from './pages.json' with { type: 'json' }

/** Definition of an option; its default is nowhere else. */
export type Setting<T> = {
  readonly name: string
  readonly type: ValueType<T>
  /** Absent: no default; the documentation explains the effect. */
  readonly default?: NoInfer<T>
  /** Place in the file: `options` and `defaults`, `ssh`, `hooks`, a host, a service or the top. */
  readonly scope: 'options' | 'ssh' | 'hooks' | 'host' | 'service' | 'file'
  readonly secret: boolean
  /** First sentence of the documentation without its full stop, for the list in docs/options.md. */
  readonly title: string
  /** One or a few sentences for `muster explain` and editors. */
  readonly documentation: string
  readonly aliases: readonly string[]
  /** First version with this option. */
  readonly since: string
  /** Only for this component. */
  readonly component?: Component
}

/** A setting that always has a value. */
type DefaultedSetting<T> = Setting<T> & { readonly default: T }

export type SettingGroup = Readonly<Record<string, Setting<unknown>>>

/** Values of those settings of a group that have a default, by member. */
export type ValuesOf<Group extends SettingGroup> = {
  readonly [Key in keyof Group as Group[Key] extends DefaultedSetting<unknown>
    ? Key
    : never]: Group[Key] extends Setting<infer T> ? T : never
}

/** A setting in a file. */
export type Given = {
  readonly setting: Setting<unknown>
  /** As written: the name or an alias. */
  readonly spelling: string
  readonly keySpan: Span
  readonly span: Span
  /** Absent if the written value cannot be used, which already has a finding. */
  readonly value?: unknown
}

type Text = 'title' | 'documentation'
type Definition<T> = Omit<Setting<T>, 'secret' | 'aliases' | 'since' | Text> & Partial<Omit<Setting<T>, Text>>

const pages: Readonly<Record<string, string>> = pageTexts

/**
 * Name, without its extension, of a setting's page in docs/options; some keys of `ssh` and `hooks` are also
 * names of options.
 */
export const pageName = ({ name, scope }: Pick<Setting<unknown>, 'name' | 'scope'>): string =>
  scope === 'ssh' || scope === 'hooks' ? `${scope}.${name}` : name

function textsOf(name: string): Pick<Setting<unknown>, Text> {
  const page = pages[name]
  if (page === undefined) throw new Error(`docs/options/${name}.md is missing`)
  const { title, blocks } = readPage(page)
  return { title, documentation: [`${title}.`, ...blocks].join(' ') }
}

/**
 * Adds the texts of the setting's page and the usual values: no secret, no alias, since the first version.
 * Throws without a page.
 */
export function setting<T>(given: Definition<T> & { readonly default: NoInfer<T> }): DefaultedSetting<T>
export function setting<T>(given: Definition<T>): Setting<T>
export function setting<T>(given: Definition<T>): Setting<T> {
  return { secret: false, aliases: [], since: '0.1.0', ...given, ...textsOf(pageName(given)) }
}

function valueTypeOf(option: ServerOption): ValueType<unknown> {
  switch (option.kind) {
    case 'duration':
      return duration
    case 'count':
      return countType(option.default)
    case 'boolean':
      return boolean
    case 'networks':
      return networks
  }
}

/** Value of an option, whichever its default is. */
type ValueOf<Option extends ServerOption> = Extract<
  ServerOption,
  { readonly kind: Option['kind'] }
>['default']

/** Makes settings of the options that servers read, by the same members. */
export const settingsOf = <Options extends ServerOptions>(
  options: Options,
  common: Pick<Setting<unknown>, 'scope' | 'component'>,
) =>
  Object.fromEntries(
    Object.entries(options).map(([member, option]) => [
      member,
      setting({ ...common, name: option.name, type: valueTypeOf(option), default: option.default }),
    ]),
  ) as {
    readonly [Member in keyof Options]: DefaultedSetting<ValueOf<Options[Member]>>
  }

export const spellings = (settings: readonly Setting<unknown>[]): readonly string[] =>
  settings.flatMap(({ name, aliases }) => [name, ...aliases])

/** Maps each spelling to its setting. */
export const bySpelling = (settings: readonly Setting<unknown>[]): ReadonlyMap<string, Setting<unknown>> =>
  new Map(settings.flatMap((one) => spellings([one]).map((name) => [name, one] as const)))
