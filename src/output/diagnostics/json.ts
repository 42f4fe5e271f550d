import { jsonText } from '../../base/json.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'

/**
 * Writes findings as one JSON object, `{"findings":[…]}`: places are flat, `related` is always a list; `more`
 * follows.
 */
export function diagnosticsJson(
  diagnostics: readonly Diagnostic[],
  more: Readonly<Record<string, unknown>> = {},
): string {
  const findings = diagnostics.map(({ code, severity, host, message, why, fix, span, related = [] }) => ({
    code,
    severity,
    ...(host !== undefined && { host }),
    message,
    why,
    fix,
    ...span,
    related: related.map((other) => ({ message: other.message, ...other.span })),
  }))
  return jsonText({ findings, ...more })
}
