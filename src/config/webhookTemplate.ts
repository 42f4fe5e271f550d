import { listOf } from '../base/words.ts'

/** Values of a notification that a template can name. */
const templateFields = [
  'event',
  'id',
  'title',
  'text',
  'cluster',
  'operation',
  'run',
  'outcome',
  'hosts',
  'started',
  'ended',
  'exit',
] as const

export type TemplateField = (typeof templateFields)[number]

const placeholder = /\{\{\s*([^{}\s]*)\s*\}\}/g

/** Fills each `{{name}}` with its value, escaped as inside of a JSON string. */
export const renderTemplate = (template: string, values: Readonly<Record<TemplateField, string>>): string =>
  template.replaceAll(placeholder, (_, name: string) => {
    const field = templateFields.find((one) => one === name)
    return field === undefined ? '' : JSON.stringify(values[field]).slice(1, -1)
  })

const sample = Object.fromEntries(
  templateFields.map((field) => [field, field === 'exit' ? '0' : 'text']),
) as Readonly<Record<TemplateField, string>>

/** Explains why a template cannot be used, as the end of a sentence; undefined if it can. */
export function templateProblem(template: string): string | undefined {
  const unknown = [...template.matchAll(placeholder)]
    .map(([, name = '']) => name)
    .find((name) => !templateFields.some((field) => field === name))
  if (unknown !== undefined) {
    // The name may be a piece of a secret.
    return `has a placeholder that is none of ${listOf(templateFields, 'or')}`
  }
  try {
    JSON.parse(renderTemplate(template, sample))
    return undefined
  } catch {
    return 'is not JSON once its placeholders are filled; a placeholder for text stands in double quotes'
  }
}

/** Returns the texts that a template itself has as values, as written and as read, without placeholders and names. */
export const templateTexts = (template: string): readonly string[] =>
  [...template.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)]
    .filter(([, , colon]) => colon === undefined)
    .flatMap(([, quoted = '']) => [quoted.slice(1, -1), JSON.parse(quoted) as string])
    .flatMap((text) => text.split(/\{\{[^{}]*\}\}/))
