import type { Span } from './diagnostic.ts'

/** A text that findings point into, and the parts of it that nobody may see. */
export type SourceText = {
  /** As the user typed it; `Span.file` names it. */
  readonly name: string
  readonly text: string
  /** Secrets, values of unknown options and what may be pieces of them. */
  readonly hidden: readonly Span[]
}

/** The mark that stands for a value which must not be seen. */
export const redacted = '[redacted]'
