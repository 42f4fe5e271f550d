import type { Span } from '../../diagnostics/diagnostic.ts'

/** What a comment `# muster-ignore: CODE[, CODE] reason` says. */
export type Ignore = {
  /** As written; nobody has looked yet whether there are such codes. */
  readonly codes: readonly { readonly code: string; readonly span: Span }[]
  /** Empty when none is given. */
  readonly reason: string
  readonly span: Span
  /** The line whose findings are meant; absent when no line follows. */
  readonly line?: number
}

/** What such a comment starts with. A file without this word has none. */
export const ignoreWord = 'muster-ignore'
