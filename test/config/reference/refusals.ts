import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { configSchema } from '../../../src/config/reference/schema.ts'

// What editors understand beside the standard: a text with Markdown, and what to say of a wrong value.
const forEditors = ['markdownDescription', 'errorMessage']

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, validateFormats: false })
for (const keyword of forEditors) ajv.addKeyword(keyword)
const validate = ajv.compile(configSchema())

/** What stands behind a tag, as an editor sees it. */
const customTags = ['!env', '!file', '!exec'].flatMap((tag) => [
  { tag, resolve: (text: string) => text },
  { tag, collection: 'seq' as const },
])

/** What the schema says against a text: where in the file, and what. */
export function refusals(text: string): readonly string[] {
  const value = parse(text, { merge: true, customTags, logLevel: 'error' })
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`)
}
