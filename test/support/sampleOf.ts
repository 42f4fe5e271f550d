type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

/** A value that a JSON Schema of our routes takes: the members that it requires, and the first of what may be. */
export function sampleOf(schema: unknown): unknown {
  if (!isSchema(schema)) throw new Error('no schema')
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const either = schema.anyOf ?? schema.oneOf
  if (Array.isArray(either)) return sampleOf(either[0])
  switch (schema.type) {
    case 'object': {
      const properties = isSchema(schema.properties) ? schema.properties : {}
      const required = Array.isArray(schema.required) ? schema.required.map(String) : []
      return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name])]))
    }
    case 'array':
      return []
    case 'string':
      // Of the patterns of our routes each takes one of them.
      return typeof schema.pattern === 'string' && !new RegExp(schema.pattern).test('sample')
        ? '5b1c2c8e-0f5e-4b3c-8a51-0d7c1f7c9a11'
        : 'sample'
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      throw new Error(`no sample of ${JSON.stringify(schema)}`)
  }
}
