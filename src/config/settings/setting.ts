import type { Component } from '../../contracts/component.ts'
import type { ValueType } from '../types/type.ts'

/** One option and all that is known of it; nothing else knows its default. */
export type Setting<T> = {
  readonly name: string
  readonly type: ValueType<T>
  /** Absent: there is none, and what happens then stands in the documentation. */
  readonly default?: NoInfer<T>
  /** Where it can stand: in `options` and `defaults`, under `ssh`, in a host, in a service or at the top. */
  readonly scope: 'options' | 'ssh' | 'host' | 'service' | 'file'
  readonly secret: boolean
  /** One or two sentences for the reference page and an editor. */
  readonly documentation: string
  readonly aliases: readonly string[]
  /** The version that brought it. */
  readonly since: string
  /** The only component it is about. */
  readonly component?: Component
}

type Given<T> = Omit<Setting<T>, 'secret' | 'aliases' | 'since'> & Partial<Setting<T>>

/** Completes what most settings have in common: no secret, no other spelling, from the first version on. */
export const setting = <T>(given: Given<T>): Setting<T> => ({
  secret: false,
  aliases: [],
  since: '0.1.0',
  ...given,
})

/** Every spelling of these settings. */
export const spellings = (settings: readonly Setting<unknown>[]): readonly string[] =>
  settings.flatMap(({ name, aliases }) => [name, ...aliases])

/** The settings by each of their spellings. */
export const bySpelling = (settings: readonly Setting<unknown>[]): ReadonlyMap<string, Setting<unknown>> =>
  new Map(settings.flatMap((one) => spellings([one]).map((name) => [name, one] as const)))
