import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { SourceText } from '../diagnostics/source.ts'
import { diagnosticsText } from '../output/diagnostics/text.ts'
import type { CommandContext, Output } from './context.ts'
import { colourOf, textWidth } from './terminal.ts'

/** Prints findings for a person, as wide as the terminal within reason; nothing when there are none. */
export function printDiagnostics(
  found: {
    readonly diagnostics: readonly Diagnostic[]
    readonly sources: readonly SourceText[]
    readonly silenced?: number
  },
  to: { readonly context: CommandContext; readonly output: Output },
): void {
  const width = textWidth(to.output)
  const colour = colourOf(to.context, to.output)
  const text = diagnosticsText({ ...found, colour, width })
  if (text !== '') to.output.write(text)
}
