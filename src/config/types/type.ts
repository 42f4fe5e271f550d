import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { describeNode, type ReferenceTag, type ScalarNode, type YamlNode } from '../document/node.ts'

/** Result of reading a value: `value` is absent if nothing of it can be used. */
export type Reading<T> = { readonly value?: T; readonly findings: readonly Diagnostic[] }

/** A value of YAML and JSON, without maps. */
export type Plain = string | number | boolean | null | readonly Plain[]

/** Part of a JSON Schema (2020-12). */
export type JsonSchema = { readonly [keyword: string]: Plain | JsonSchema | readonly JsonSchema[] }

/** Type of a value in the file. `read` gets no empty value and no other tag than those of `tags`, except for secrets. */
export type ValueType<T> = {
  /** Expected value, as in "a port number from 1 to 65535". */
  readonly wants: string
  /** An example as in a file. */
  readonly example: string
  /** Text of the command line stays text, even if it looks like a number. */
  readonly textual: boolean
  /** Tags that its values may have, except for secrets, which have all. */
  readonly tags?: readonly ReferenceTag[]
  /** For editors; `read` is stricter. */
  readonly schema: JsonSchema
  /** Writes the value as in a file: a duration with its unit. Secrets print as [redacted]. */
  // A method, so that lists of settings of different types may call themselves Setting<unknown>.
  write(value: T): Plain
  readonly read: (node: YamlNode, name: string) => Reading<T>
}

const wrongTypeFinding = finding(
  'wrong-type',
  (facts: { name: string; wants: string; got: string; fix: string }) => ({
    message: `${facts.name} must be ${facts.wants}, not ${facts.got}.`,
    why: 'The value cannot be used; the other checks use the default.',
    fix: facts.fix,
  }),
)

/** Creates the finding for a value of another type. */
export function wrongType(
  node: YamlNode,
  facts: { readonly name: string; readonly wants: string; readonly fix: string },
): Diagnostic {
  return wrongTypeFinding({ ...facts, got: describeNode(node) }, { span: node.span })
}

/** Returns the text of a text node; undefined for a number, a boolean, a list or a group. */
export const textOf = (node: YamlNode): string | undefined =>
  node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined

const isOtherScalar = (node: YamlNode): node is ScalarNode =>
  node.kind === 'scalar' && typeof node.value !== 'string'

/** Defines a type of text; `parse` returns undefined for invalid text. */
export function textType<T extends string>(options: {
  readonly wants: string
  readonly example: string
  readonly parse: (text: string) => T | undefined
  readonly fix?: (text: string) => string | undefined
  /** Further restrictions in the schema. */
  readonly schema?: JsonSchema
}): ValueType<T> {
  const { wants, example, parse } = options
  const read = (node: YamlNode, name: string): Reading<T> => {
    const text = textOf(node)
    const value = text === undefined ? undefined : parse(text)
    if (value !== undefined) return { value, findings: [] }
    const quoted = isOtherScalar(node) ? parse(node.source) : undefined
    const fix =
      quoted === undefined
        ? (options.fix?.(text ?? '') ?? `Write, for example: ${name}: ${example}`)
        : 'Put it in quotes, so that it is read as text.'
    return { findings: [wrongType(node, { name, wants, fix })] }
  }
  const schema = { type: 'string', ...options.schema }
  return { wants, example, textual: true, schema, write: (value) => value, read }
}
