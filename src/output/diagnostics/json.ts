import type { Diagnostic } from '../../diagnostics/diagnostic.ts'

/** What JSON leaves as it is, but a terminal would act on. */
const unseen = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

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
  return `${JSON.stringify({ findings }, null, 2).replaceAll(unseen, escaped)}\n`
}
