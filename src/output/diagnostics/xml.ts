import { masked } from '../../base/printable.ts'

/** An element: its attributes in order, and what is in it, already XML. */
export type Element = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly content?: string
}

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
}

/** Text for an element. With every `>` escaped no `]]>` is left, so that no CDATA is needed. */
export const xmlText = (text: string): string =>
  masked(text).replace(/[&<>]/g, (character) => references[character] ?? '')

/** Text for an attribute, in which line ends and tabs would else become spaces. */
const xmlAttribute = (text: string): string =>
  masked(text).replace(/[&<>"\t\n]/g, (character) => references[character] ?? '')

/** The element as XML 1.0, whatever its texts hold. */
export function xmlElement({ name, attributes, content }: Element): string {
  const start = [
    name,
    ...Object.entries(attributes).map(([key, value]) => `${key}="${xmlAttribute(String(value))}"`),
  ]
  return content === undefined ? `<${start.join(' ')}/>` : `<${start.join(' ')}>${content}</${name}>`
}
