import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { redacted } from '../../diagnostics/source.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import type { MapEntry } from '../document/node.ts'
import { secretReference } from '../types/secretReference.ts'
import { type Reading, type ValueType, wrongType } from '../types/type.ts'
import type { Given, Setting } from './setting.ts'

/** An entry of a map of secrets in a file; the value is optional. */
export type SecretEntry = Given & {
  readonly name: string
  readonly value?: SecretReference
}

/** Returns true for an entry of a map of secrets. */
export const isSecretEntry = (given: Given): given is SecretEntry => 'name' in given

/**
 * Defines a map of names with optional secrets. Its names can be shown, its values never. `each` is the
 * setting for every value.
 */
export function secretMap(options: {
  readonly each: Setting<SecretReference>
  readonly wants: string
  readonly example: string
}): ValueType<readonly SecretEntry[]> {
  const { each, wants, example } = options

  const readEntry = (entry: MapEntry, name: string): Reading<SecretEntry> => {
    const { key, keySpan, value: node } = entry
    const spelling = `${name}.${entry.hidden === true ? redacted : key}`
    const given = { setting: each, spelling, keySpan, span: node.span, name: key }
    if (node.faulty === true) return { value: given, findings: [] }
    // No value: the existing password is kept, or one is generated.
    if (node.kind === 'scalar' && node.value === null && node.tag === undefined) {
      return { value: given, findings: [] }
    }
    const { value, findings } = secretReference.read({ ...node, hidden: true }, spelling)
    return { value: value === undefined ? given : { ...given, value }, findings }
  }

  const read = (node: Parameters<ValueType<unknown>['read']>[0], name: string) => {
    if (node.kind !== 'map') {
      const fix = `Write for example: ${name}: ${example}`
      return { findings: [wrongType({ ...node, hidden: true }, { name, wants, fix })] }
    }
    const entries: SecretEntry[] = []
    const findings: Diagnostic[] = []
    const written = new Set<string>()
    for (const entry of node.entries) {
      // A duplicate key already has its finding.
      if (written.has(entry.key)) continue
      written.add(entry.key)
      const { value, findings: found } = readEntry(entry, name)
      findings.push(...found)
      if (value !== undefined) entries.push(value)
    }
    return { value: entries, findings }
  }

  return {
    wants,
    example,
    textual: false,
    schema: {
      type: 'object',
      propertyNames: { minLength: 1, maxLength: 128 },
      additionalProperties: { type: ['string', 'array', 'null'], minItems: 1 },
    },
    write: (entries) => entries.map(({ name }) => name),
    read,
  }
}
