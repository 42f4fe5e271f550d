import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { configSchema } from '../../../src/config/reference/schema.ts'

// Keywords that editors add to the standard: a description in Markdown, and a message for an invalid value.
const forEditors = ['markdownDescription', 'errorMessage']

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, validateFormats: false })
for (const keyword of forEditors) ajv.addKeyword(keyword)
const validate = ajv.compile(configSchema())

/** Tags as an editor reads them: text or a list. */
const customTags = ['!env', '!file', '!exec'].flatMap((tag) => [
  { tag, resolve: (text: string) => text },
  { tag, collection: 'seq' as const },
])

/** Errors of the schema in a text, each with its place. */
export function refusals(text: string): readonly string[] {
  const value = parse(text, { merge: true, customTags, logLevel: 'error' })
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`)
}
