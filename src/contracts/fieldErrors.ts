import type { FieldError } from './envelope.ts'

/** A finding as JSON Schema validators report it (Ajv and TypeBox agree on these members). */
type SchemaFinding = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string | undefined
}

const list = (values: unknown): string =>
  (Array.isArray(values) ? values : [values]).map((it) => JSON.stringify(it)).join(', ')

/** The types of JSON Schema in words. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  object: 'an object',
  array: 'a list',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
}

/** A finding of a JSON Schema validator in words: one entry per member, so that nobody has to know schemas. */
export function fieldErrors(finding: SchemaFinding): readonly FieldError[] {
  const { keyword, instancePath: path, params } = finding
  switch (keyword) {
    case 'required': {
      const names = [params.requiredProperties ?? params.missingProperty].flat().map(String)
      return names.map((name) => ({ path: `${path}/${name}`, message: 'is missing' }))
    }
    case 'additionalProperties': {
      const names = [params.additionalProperties ?? params.additionalProperty].flat().map(String)
      return names.map((name) => ({ path: `${path}/${name}`, message: 'is not a known member' }))
    }
    case 'type':
      return [{ path, message: `must be ${typeNames[String(params.type)] ?? params.type}` }]
    case 'const':
      return [{ path, message: `must be ${list(params.allowedValue)}` }]
    case 'enum':
      return [{ path, message: `must be one of ${list(params.allowedValues)}` }]
    default:
      return [{ path, message: finding.message ?? `breaks the rule '${keyword}'` }]
  }
}
