/** A page of docs/findings or docs/options: Markdown below a front matter that gives its title. */
export type Page = {
  /** Without a full stop, as lists show it. */
  readonly title: string
  /** Paragraphs and fenced code, in their order: what stands between blank lines. */
  readonly blocks: readonly string[]
}

/** Reads the text of a page. Throws where it has no such front matter. */
export function readPage(text: string): Page {
  const [, title, body] = /^---\ntitle: ([^\n]+)\n---\n(.*)$/s.exec(text) ?? []
  if (title === undefined || body === undefined) throw new Error(`not a page: ${text.slice(0, 80)}`)
  return {
    // A title that means something else in YAML is in double quotes, where YAML reads it as JSON does.
    title: title.startsWith('"') ? JSON.parse(title) : title,
    blocks: body.trim() === '' ? [] : body.trim().split('\n\n'),
  }
}
