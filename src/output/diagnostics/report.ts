import type { Silenced } from '../../config/ignores/applyIgnores.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'

/** What a validation found, for the formats that programs read. */
export type Report = {
  readonly findings: readonly Diagnostic[]
  readonly silenced: readonly Silenced[]
  /** Every file that was judged, those without a finding too. */
  readonly files: readonly string[]
}
