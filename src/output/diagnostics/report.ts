import type { Silenced } from '../../config/ignores/applyIgnores.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'

/** What a command found, for the formats that programs read. */
export type Report = {
  readonly findings: readonly Diagnostic[]
  readonly silenced: readonly Silenced[]
  /** Every file that was judged, those without a finding too. */
  readonly files: readonly string[]
  /** The command; `muster validate` unless told. */
  readonly command?: string
  /** Whether warnings fail the run as errors do. */
  readonly warningsFail?: true
  /** What the JSON format tells beside the findings. */
  readonly more?: Readonly<Record<string, unknown>>
}
