import { durationText, parseDuration } from '../../base/time.ts'
import { finding } from '../../diagnostics/finding.ts'
import { textOf, type ValueType, wrongType } from './type.ts'

const wants = 'a duration with a unit, such as 500ms, 30s or 5m'
const maxDuration = 24 * 60 * 60_000

const missingUnit = finding('missing-unit', (facts: { name: string; number: string }) => ({
  message: `${facts.name} is a duration, but ${facts.number} has no unit.`,
  why: 'Some tools read such a number as seconds, others as milliseconds.',
  fix: `Write ${facts.number}s for seconds, ${facts.number}ms for milliseconds or ${facts.number}m for minutes.`,
}))

/** A duration in milliseconds: `500ms`, `30s`, `5m`; more than zero and at most a day. */
export const duration: ValueType<number> = {
  wants,
  example: '10s',
  textual: true,
  schema: { type: 'string', pattern: '^[0-9]{1,9}(ms|s|m)$' },
  write: durationText,
  read: (node, name) => {
    const bare = node.kind === 'scalar' && /^\d+$/.test(node.source) ? node.source : undefined
    if (bare !== undefined) return { findings: [missingUnit({ name, number: bare }, { span: node.span })] }
    const value = parseDuration(textOf(node) ?? '')
    if (value !== undefined && value > 0 && value <= maxDuration) return { value, findings: [] }
    return { findings: [wrongType(node, { name, wants, fix: `Write, for example: ${name}: 10s` })] }
  },
}
