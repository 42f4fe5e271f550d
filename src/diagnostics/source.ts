import type { Span } from './diagnostic.ts'

/** Text that findings point into, with its parts that must not be printed. */
export type SourceText = {
  /** Name as the user typed it; `Span.file` uses it. */
  readonly name: string
  readonly text: string
  /** Secrets, values of unknown options, and possible pieces of secrets. */
  readonly hidden: readonly Span[]
}

/** Printed instead of a value that must not be seen. */
export const redacted = '[redacted]'
