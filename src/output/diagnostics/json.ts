import type { Diagnostic } from '../../diagnostics/diagnostic.ts'

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
  return `${JSON.stringify({ findings }, null, 2)}\n`
}
