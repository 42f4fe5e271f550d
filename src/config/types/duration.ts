import { diagnose } from '../../diagnostics/diagnose.ts'
import { textOf, type ValueType, wrongType } from './type.ts'

const wants = 'a length of time with its unit, such as 500ms, 30s or 5m'
const milliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }
const longest = 24 * 60 * 60_000

/** Milliseconds as the file writes them, in the largest unit that leaves a whole number. */
export function durationText(value: number): string {
  if (value % 60_000 === 0) return `${value / 60_000}m`
  return value % 1000 === 0 ? `${value / 1000}s` : `${value}ms`
}

/** A length of time in milliseconds: `500ms`, `30s`, `5m`; more than nothing and at most a day. */
export const duration: ValueType<number> = {
  wants,
  example: '10s',
  textual: true,
  schema: { type: 'string', pattern: '^[0-9]{1,9}(ms|s|m)$' },
  write: durationText,
  read: (node, name) => {
    const bare = node.kind === 'scalar' && /^\d+$/.test(node.source) ? node.source : undefined
    if (bare !== undefined) {
      return { findings: [diagnose('missing-unit', { name, number: bare }, { span: node.span })] }
    }
    const [, number, unit = ''] = /^(\d{1,9})(ms|s|m)$/.exec(textOf(node) ?? '') ?? []
    const value = Number(number) * (milliseconds[unit] ?? Number.NaN)
    if (value > 0 && value <= longest) return { value, findings: [] }
    return { findings: [wrongType(node, { name, wants, fix: `Write for example: ${name}: 10s` })] }
  },
}
