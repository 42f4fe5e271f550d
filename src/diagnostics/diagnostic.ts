export type Severity = 'error' | 'warning' | 'note'

/** A place in a file: 1-based line and column (in UTF-16 units), the end exclusive. */
export type Span = {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** Something a user can fix in a file: what is wrong, why it matters and the fix (options.md, last section). */
export type Diagnostic = {
  /** Stable code from the catalogue, such as `unknown-option`. */
  readonly code: string
  readonly severity: Severity
  readonly message: string
  readonly why: string
  readonly fix: string
  /** Of which host it was found by asking; absent for what the files say. */
  readonly host?: string
  /** Where; line 1, column 1 for a finding about a file as a whole. */
  readonly span: Span
  /** Other places that belong to the finding, such as the earlier one of a pair. */
  readonly related?: readonly { readonly message: string; readonly span: Span }[]
}
