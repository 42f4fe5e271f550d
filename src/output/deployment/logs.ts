import { jsonLineOf } from '../../base/json.ts'
import { printableLine } from '../../base/printable.ts'
import type { HostConfig } from '../../config/model.ts'
import { messageOf } from '../../deployment/logs/logFilter.ts'
import type { LogLine } from '../../deployment/logs/parseLogs.ts'
import { paint } from '../paint.ts'

const timeOf = ({ time }: LogLine): string => (time === undefined ? '' : new Date(time).toISOString())

/** Characters of a line for people. */
const maxShown = 4000

function shown(text: string): string {
  if (text.length <= maxShown) return printableLine(text)
  return `${printableLine(text.slice(0, maxShown))}… (${text.length - maxShown} more characters)`
}

/**
 * Writes lines for a person: time, host and component, then the message and its other members. `hosts` are all whose
 * lines stand in one column.
 */
export function logsText(
  lines: readonly LogLine[],
  {
    colour,
    hosts = [],
  }: { readonly colour: boolean; readonly hosts?: readonly Pick<HostConfig, 'name' | 'apis'>[] },
): string {
  const { dim, red, yellow } = paint(colour)
  const widest = (words: readonly string[]): number =>
    words.reduce((width, { length }) => Math.max(width, length), 0)
  const hostWidth = widest([...lines.map(({ host }) => host), ...hosts.map(({ name }) => name)])
  const known = hosts.flatMap(({ apis }) => apis.map(({ component }) => component))
  const componentWidth = widest([...lines.map(({ component }) => component), ...known])
  const timeWidth = 'YYYY-MM-DDTHH:MM:SS.sssZ'.length
  return lines
    .map((line) => {
      const { level, text } = messageOf(line.text)
      const tint = level === 'error' ? red : level === 'warn' ? yellow : (plain: string) => plain
      const where = `${timeOf(line).padEnd(timeWidth)} ${line.host.padEnd(hostWidth)} ${line.component.padEnd(componentWidth)}`
      return `${dim(where)}  ${tint(shown(text))}\n`
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
