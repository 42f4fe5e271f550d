import { type LogLevel, logLevels } from '../../contracts/choices.ts'
import { type LogLine, logObject } from './parseLogs.ts'

/** Lines to show. */
export type LogFilter = {
  /** This level and worse, and lines without a level, such as the output of a crash. */
  readonly level?: LogLevel
  /** Part of the line as people see it, in upper or lower case. */
  readonly text?: string
}

/** Returns true for a line that is to be shown. The text is no pattern: a line of a stranger cannot make it slow. */
export function matchesFilter(line: LogLine, filter: LogFilter | undefined): boolean {
  if (filter === undefined) return true
  const { level, text } = messageOf(line.text)
  if (filter.text !== undefined && !text.toLowerCase().includes(filter.text.toLowerCase())) return false
  const levels: readonly unknown[] = logLevels
  const rank = levels.indexOf(level)
  return filter.level === undefined || rank === -1 || rank >= logLevels.indexOf(filter.level)
}

/** Members that stand before the message or are equal in every line. */
const known: readonly string[] = ['time', 'level', 'cluster', 'host', 'component', 'msg']

/**
 * Formats a JSON log line of a component: `warn fenced a data source (service=alpha)`; other text stays as it
 * is.
 */
export function messageOf(text: string): { readonly level?: unknown; readonly text: string } {
  const logged = logObject(text)
  if (logged === undefined || typeof logged.msg !== 'string') return { text }
  const facts = Object.entries(logged)
    .filter(([name]) => !known.includes(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const { level, msg } = logged
  return {
    level,
    text: `${level === undefined ? '' : `${String(level).padEnd(5)} `}${msg}${facts.length === 0 ? '' : ` (${facts.join(' ')})`}`,
  }
}
