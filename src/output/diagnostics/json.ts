import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { escapeUnseen } from './unseen.ts'

/** Findings for programs: one JSON object, `{"findings":[…]}`, places flat, `related` always a list. */
export function diagnosticsJson(diagnostics: readonly Diagnostic[]): string {
  const findings = diagnostics.map(({ code, severity, message, why, fix, span, related = [] }) => ({
    code,
    severity,
    message,
    why,
    fix,
    ...span,
    related: related.map((other) => ({ message: other.message, ...other.span })),
  }))
  return `${escapeUnseen(JSON.stringify({ findings }, null, 2))}\n`
}
