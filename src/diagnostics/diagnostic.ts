export type Severity = 'error' | 'warning' | 'note'

/** A place in a file: 1-based line and column (in UTF-16 units), the end exclusive. */
export type Span = {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** Problem that a user can fix in a file: message, reason and fix (options.md, last section). */
export type Diagnostic = {
  /** Stable code, the name of its page in docs/findings, such as `unknown-option`. */
  readonly code: string
  readonly severity: Severity
  readonly message: string
  readonly why: string
  readonly fix: string
  /** The host on which it was found; absent for findings about the files. */
  readonly host?: string
  /** Line 1, column 1 for a finding about a whole file. */
  readonly span: Span
  /** Related places, such as the earlier one of a pair. */
  readonly related?: readonly { readonly message: string; readonly span: Span }[]
}
