import { isObject } from '../../base/json.ts'
import type { OpenApiDocument } from '../../contracts/openApiTypes.ts'

/** Markup in which everything that came from elsewhere is escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

type Part = Html | string | readonly Html[]

function written(part: Part): string {
  if (part instanceof Html) return part.text
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (it) => entities[it] ?? it)
  return part.map(({ text }) => text).join('')
}

/** Makes markup of a template; texts in it are escaped, for elements and for quoted attributes. */
export const html = (literals: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(literals.reduce((text, literal, index) => text + written(parts[index - 1] ?? '') + literal))

/** Text in which words between backticks are code, as in Markdown. */
export const withCode = (text: string): readonly Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

type Json = { readonly [member: string]: unknown }

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A link to where a schema is described. */
function schemaLink(reference: string): Html {
  const name = reference.split('/').at(-1) ?? ''
  return html`<a href="#schema-${name}">${name}</a>`
}

const joined = (parts: readonly Html[], word: string): Html =>
  new Html(parts.map(({ text }) => text).join(word))

/** Describes the type of a value, with links to the schemas that it names. */
export function typeMarkup(schema: unknown): Html {
  if (!isObject(schema)) return html`any`
  const { $ref, anyOf, type, items, enum: words, const: only, additionalProperties, format } = schema
  if (typeof $ref === 'string') return schemaLink($ref)
  if (anyOf !== undefined) return joined(list(anyOf).map(typeMarkup), ' or ')
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`
  if (words !== undefined) {
    return joined(
      list(words).map((it) => html`<code>${JSON.stringify(it)}</code>`),
      ' or ',
    )
  }
  if (type === 'array') return html`list of ${typeMarkup(items)}`
  if (isObject(additionalProperties)) return html`object of ${typeMarkup(additionalProperties)} by name`
  if (typeof format === 'string') return html`${String(type)} (${format})`
  return html`${String(type ?? 'any')}`
}

const descriptionOf = (schema: unknown): string =>
  isObject(schema) && typeof schema.description === 'string' ? schema.description : ''

/** One line of a list: what a name means, of which type. */
export const listEntry = (facts: {
  readonly name: string
  readonly kind: Html
  readonly description: string
  readonly below?: Html
}): Html =>
  html`<li><code>${facts.name}</code> <span class="faint">${facts.kind}</span> ${withCode(facts.description)}${facts.below ?? ''}</li>
`

/** Returns the members of an object, or of the objects of a list, where no schema of that name describes them. */
function members(schema: unknown): Html {
  if (!isObject(schema)) return html``
  const { properties, required, items } = schema
  if (!isObject(properties)) return members(items)
  const needed = new Set(list(required))
  const entries = Object.entries(properties).map(([name, it]) =>
    listEntry({
      name,
      kind: html`${typeMarkup(it)}${needed.has(name) ? '' : ', optional'}`,
      description: descriptionOf(it),
      below: members(it),
    }),
  )
  return html`<ul>${entries}</ul>`
}

function schemaEntry(name: string, schema: Json): Html {
  const description = descriptionOf(schema)
  return html`<article class="schema" id="schema-${name}" aria-labelledby="schema-${name}-name">
<h3 id="schema-${name}-name"><code>${name}</code></h3>
<p>${typeMarkup(schema)}${description === '' ? '' : html`: ${withCode(description)}`}</p>
${members(schema)}</article>
`
}

/** Describes every schema of the document. */
export const schemaList = ({ components }: OpenApiDocument): readonly Html[] =>
  Object.entries(components.schemas).map(([name, schema]) => schemaEntry(name, schema))
