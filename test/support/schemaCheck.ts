import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** A schema of an OpenAPI document; most are references to one of its components. */
export type DocumentSchema = { readonly $ref?: string }

/** One for all documents: it compiles the schema of schemas, which takes longer than most of them. */
const ajv = addFormats.default(new Ajv2020({ strict: true, allErrors: true }))
let documents = 0

/**
 * Makes a check of values by the schemas of an OpenAPI document, as strict as ajv can be: it returns what is wrong,
 * and an empty text where nothing is.
 */
export function schemaCheck(components: {
  readonly schemas?: object
}): (schema: DocumentSchema, value: unknown) => string {
  documents += 1
  const id = `components-${documents}`
  // The document around them is no JSON Schema.
  const moved = (text: string): string => text.replaceAll('"#/components/schemas/', `"${id}#/$defs/`)
  ajv.addSchema({ $id: id, $defs: JSON.parse(moved(JSON.stringify(components.schemas ?? {}))) })
  const compiled = new Map<DocumentSchema, ReturnType<typeof ajv.compile>>()
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(JSON.parse(moved(JSON.stringify(schema))))
    compiled.set(schema, validate)
    return validate(value) ? '' : ajv.errorsText(validate.errors)
  }
}
