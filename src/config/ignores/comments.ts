import type { CST } from 'yaml'

/** A comment from its `#` to the end of its line; offsets in UTF-16 units. */
export type RawComment = { readonly from: number; readonly to: number; readonly text: string }

const isComment = (value: object): value is CST.SourceToken => 'type' in value && value.type === 'comment'

/** The comments of a text by position, as the lexer saw them: a `#` inside quotes or a block is none. */
export function commentsOf(tokens: readonly CST.Token[]): readonly RawComment[] {
  const comments: RawComment[] = []
  const waiting: unknown[] = [...tokens]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if (isComment(next)) {
      const { offset, source } = next
      comments.push({ from: offset, to: offset + source.length, text: source })
      continue
    }
    for (const within of Object.values(next)) if (within !== undefined) waiting.push(within)
  }
  return comments.sort((a, b) => a.from - b.from)
}
