import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { SourceText } from '../diagnostics/source.ts'
import { diagnosticsText } from '../output/diagnostics/text.ts'
import type { CommandContext, Output } from './context.ts'
import { colourOf } from './terminal.ts'

const narrow = 40
const wide = 110
const unknownWidth = 100

/** Prints findings for a person, as wide as the terminal within reason; nothing when there are none. */
export function printDiagnostics(
  found: { readonly diagnostics: readonly Diagnostic[]; readonly sources: readonly SourceText[] },
  to: { readonly context: CommandContext; readonly output: Output },
): void {
  const width = Math.max(narrow, Math.min(wide, to.output.columns ?? unknownWidth))
  const colour = colourOf(to.context, to.output)
  const text = diagnosticsText({ ...found, colour, width })
  if (text !== '') to.output.write(text)
}
