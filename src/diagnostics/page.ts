/** A page of docs/findings or docs/options: Markdown with front matter, of which programs read the title. */
export type Page = {
  /** Without a full stop, for lists. */
  readonly title: string
  /** Paragraphs and fenced code, split at blank lines. */
  readonly blocks: readonly string[]
}

/** Parses a page. Throws if the front matter has no title. */
export function readPage(text: string): Page {
  const [, title, body] = /^---\ntitle: ([^\n]+)\n(?:[a-z]+: [^\n]+\n)*---\n(.*)$/s.exec(text) ?? []
  if (title === undefined || body === undefined) throw new Error(`not a page: ${text.slice(0, 80)}`)
  return {
    // A title that means something else in YAML is in double quotes, where YAML reads it as JSON does.
    title: title.startsWith('"') ? JSON.parse(title) : title,
    blocks: body.trim() === '' ? [] : body.trim().split('\n\n'),
  }
}
