import type { Component } from '../../contracts/component.ts'
import type { Span } from '../../diagnostics/diagnostic.ts'
import { readPage } from '../../diagnostics/page.ts'
import type { ValueType } from '../types/type.ts'
import pageTexts from './pages.json' with { type: 'json' }

/** One option and all that is known of it; nothing else knows its default. */
export type Setting<T> = {
  readonly name: string
  readonly type: ValueType<T>
  /** Absent: there is none, and what happens then stands in the documentation. */
  readonly default?: NoInfer<T>
  /** Where it can stand: in `options` and `defaults`, under `ssh`, in a host, in a service or at the top. */
  readonly scope: 'options' | 'ssh' | 'host' | 'service' | 'file'
  readonly secret: boolean
  /** First sentence of the documentation without its full stop, for the list in docs/options.md. */
  readonly title: string
  /** One or a few sentences for `muster explain` and an editor. */
  readonly documentation: string
  readonly aliases: readonly string[]
  /** The version that brought it. */
  readonly since: string
  /** The only component it is about. */
  readonly component?: Component
}

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

type Text = 'title' | 'documentation'
type Definition<T> = Omit<Setting<T>, 'secret' | 'aliases' | 'since' | Text> & Partial<Omit<Setting<T>, Text>>

const pages: Readonly<Record<string, string>> = pageTexts

/** File name, without its ending, of a setting's page in docs/options; some keys of `ssh` are options, too. */
export const pageName = ({ name, scope }: Pick<Setting<unknown>, 'name' | 'scope'>): string =>
  scope === 'ssh' ? `ssh.${name}` : name

function textsOf(name: string): Pick<Setting<unknown>, Text> {
  const page = pages[name]
  if (page === undefined) throw new Error(`docs/options/${name}.md is missing`)
  const { title, blocks } = readPage(page)
  return { title, documentation: [`${title}.`, ...blocks].join(' ') }
}

/**
 * Adds the texts of the setting's page, and what most settings have in common: no secret, no other spelling,
 * from the first version on. Throws where there is no page.
 */
export const setting = <T>(given: Definition<T>): Setting<T> => ({
  secret: false,
  aliases: [],
  since: '0.1.0',
  ...given,
  ...textsOf(pageName(given)),
})

/** Every spelling of these settings. */
export const spellings = (settings: readonly Setting<unknown>[]): readonly string[] =>
  settings.flatMap(({ name, aliases }) => [name, ...aliases])

/** The settings by each of their spellings. */
export const bySpelling = (settings: readonly Setting<unknown>[]): ReadonlyMap<string, Setting<unknown>> =>
  new Map(settings.flatMap((one) => spellings([one]).map((name) => [name, one] as const)))
