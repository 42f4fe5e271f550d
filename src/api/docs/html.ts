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
