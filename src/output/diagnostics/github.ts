import { maskInvisible } from '../../base/printable.ts'
import type { Diagnostic, Severity } from '../../diagnostics/diagnostic.ts'

const commands = {
  error: 'error',
  warning: 'warning',
  note: 'notice',
} as const satisfies Record<Severity, string>

// The runner's own escapes (actions/runner, ActionCommand.cs); the percent sign must come first.
const data = (text: string): string => maskInvisible(text).replaceAll('%', '%25').replaceAll('\n', '%0A')

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

function line({ code, severity, message, why, fix, span, related = [] }: Diagnostic): string {
  const place = [
    ['file', span.file],
    ['line', span.line],
    ['endLine', span.endLine],
    // GitHub refuses columns that belong to different lines.
    ...(span.line === span.endLine
      ? [['col', span.column] as const, ['endColumn', span.endColumn] as const]
      : []),
    ['title', code],
  ] as const
  const properties = place.map(([name, value]) => `${name}=${property(String(value))}`).join(',')
  const see = related.map((other) => `See ${other.span.file}:${other.span.line}: ${other.message}`)
  return `::${commands[severity]} ${properties}::${data([message, why, `Fix: ${fix}`, ...see].join('\n'))}\n`
}

/**
 * Writes findings as workflow commands of GitHub Actions, one line each: GitHub shows them as annotations of
 * the change.
 */
export const diagnosticsGithub = (diagnostics: readonly Diagnostic[]): string =>
  diagnostics.map(line).join('')
