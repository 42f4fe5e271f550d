import { jsonLineOf } from '../../base/json.ts'
import { printableLine } from '../../base/printable.ts'
import { type LogLine, logObject } from '../../deployment/logs/parseLogs.ts'
import { paint } from '../paint.ts'

/** Members that stand before the message or are equal in every line. */
const known: readonly string[] = ['time', 'level', 'cluster', 'host', 'component', 'msg']

const timeOf = ({ time }: LogLine): string => (time === undefined ? '' : new Date(time).toISOString())

/** Writes lines for a person: time, host and component, then the message and its other members. */
export function logsText(lines: readonly LogLine[], colour: boolean): string {
  const { dim, red, yellow } = paint(colour)
  const hostWidth = Math.max(0, ...lines.map(({ host }) => host.length))
  const componentWidth = Math.max(0, ...lines.map(({ component }) => component.length))
  const timeWidth = 'YYYY-MM-DDTHH:MM:SS.sssZ'.length
  return lines
    .map((line) => {
      const { level, text } = readable(line.text)
      const tint = level === 'error' ? red : level === 'warn' ? yellow : (plain: string) => plain
      const where = `${timeOf(line).padEnd(timeWidth)} ${line.host.padEnd(hostWidth)} ${line.component.padEnd(componentWidth)}`
      return `${dim(where)}  ${tint(printableLine(text))}\n`
    })
    .join('')
}

/** Writes each line as the JSON that was logged. */
export const logsJson = (lines: readonly LogLine[]): string =>
  lines
    .map((line) => {
      const { host, component, text } = line
      const time = line.time === undefined ? {} : { time: timeOf(line) }
      return jsonLineOf({ ...time, host, component, line: text })
    })
    .join('')

/**
 * Formats a JSON log line of a component: `warn fenced a data source (service=alpha)`; other text stays as it
 * is.
 */
function readable(text: string): { readonly level?: unknown; readonly text: string } {
  const logged = logObject(text)
  if (logged === undefined || typeof logged.msg !== 'string') return { text }
  const facts = Object.entries(logged)
    .filter(([name]) => !known.includes(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const { level, msg } = logged
  return {
    level,
    text: `${String(level).padEnd(5)} ${msg}${facts.length === 0 ? '' : ` (${facts.join(' ')})`}`,
  }
}
