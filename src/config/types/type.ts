import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { describeNode, type ScalarNode, type YamlNode } from '../document/node.ts'

/** What became of a value: `value` is absent when nothing of it can be used. */
export type Reading<T> = { readonly value?: T; readonly findings: readonly Diagnostic[] }

/** A value as YAML and JSON have it, without a group. */
export type Plain = string | number | boolean | null | readonly Plain[]

/** Part of a JSON Schema (2020-12). */
export type JsonSchema = { readonly [keyword: string]: Plain | JsonSchema | readonly JsonSchema[] }

/** A type of values in the file. `read` gets what is neither empty nor, but for secrets, tagged. */
export type ValueType<T> = {
  /** What it wants, as in "a port number from 1 to 65535". */
  readonly wants: string
  /** A value as it stands in a file. */
  readonly example: string
  /** Whether text from a command line is taken as it is, even where it looks like a number. */
  readonly textual: boolean
  /** What an editor can check of it; `read` is stricter. */
  readonly schema: JsonSchema
  /** The value as a file would have it: a duration with its unit. Secrets print as [redacted]. */
  // A method, so that lists of settings of different types may call themselves Setting<unknown>.
  write(value: T): Plain
  readonly read: (node: YamlNode, name: string) => Reading<T>
}

/** The finding for a value that is not what its type wants. */
export function wrongType(
  node: YamlNode,
  facts: { readonly name: string; readonly wants: string; readonly fix: string },
): Diagnostic {
  return diagnose('wrong-type', { ...facts, got: describeNode(node) }, { span: node.span })
}

/** The node's text, when it is text: neither a number, a switch, a list nor a group. */
export const textOf = (node: YamlNode): string | undefined =>
  node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined

const looksOther = (node: YamlNode): node is ScalarNode =>
  node.kind === 'scalar' && typeof node.value !== 'string'

/** A type of one text; `parse` returns undefined for what it cannot use. */
export function textType<T extends string>(options: {
  readonly wants: string
  readonly example: string
  readonly parse: (text: string) => T | undefined
  readonly fix?: (text: string) => string | undefined
  /** What the schema says beside its being a text. */
  readonly schema?: JsonSchema
}): ValueType<T> {
  const { wants, example, parse } = options
  const read = (node: YamlNode, name: string): Reading<T> => {
    const text = textOf(node)
    const value = text === undefined ? undefined : parse(text)
    if (value !== undefined) return { value, findings: [] }
    const quoted = looksOther(node) ? parse(node.source) : undefined
    const fix =
      quoted === undefined
        ? (options.fix?.(text ?? '') ?? `Write for example: ${name}: ${example}`)
        : 'Put it in quotes, so that it is read as text.'
    return { findings: [wrongType(node, { name, wants, fix })] }
  }
  const schema = { type: 'string', ...options.schema }
  return { wants, example, textual: true, schema, write: (value) => value, read }
}
