import { parseJsonObject } from '../../client/parseJson.ts'
import { isComponent } from '../../contracts/component.ts'
import type { LogLine } from './line.ts'

/** What the script printed: the host's clock, whose installation it is, and the lines of each log. */
export type ReadLogs = {
  /** Milliseconds since 1970. */
  readonly clock: number
  readonly manifest?: string
  /** The install-directory is not root's alone: what `changeable` found. */
  readonly untrusted?: string
  readonly logs: readonly (readonly LogLine[])[]
}

type Dated = Pick<LogLine, 'time' | 'text'>

/** Reads the rows of the logs script; what it does not know is passed over. */
export function parseLogs(host: string, output: string): ReadLogs {
  const rows = output.split('\n').map((line) => line.split('\t'))
  const manifest = decode(rows.find(([key]) => key === 'manifest')?.[1])
  const untrusted = decode(rows.find(([key]) => key === 'untrusted')?.[1])
  const clock = Number(rows.find(([key]) => key === 'clock')?.[1]) * 1000
  const logs = rows.flatMap(([kind, component = '', content]) => {
    if (!isComponent(component) || (kind !== 'journal' && kind !== 'file')) return []
    const lines = decode(content)
      .split('\n')
      .filter((line) => line !== '')
    const dated = kind === 'journal' ? lines.flatMap(journalLine(component)) : lines.map(fileLine)
    return [inherited(dated).map((line): LogLine => ({ host, component, ...line }))]
  })
  return { clock, ...(manifest === '' ? {} : { manifest }), ...(untrusted === '' ? {} : { untrusted }), logs }
}

const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8')

/** A line of `journalctl -o short-unix`; further lines of one message are indented and have no time. */
const journalLine =
  (component: string) =>
  (line: string): readonly Dated[] => {
    const [, time, name, text = ''] = /^(\d+\.\d+) \S+ ([^\s:[]+)(?:\[\d+\])?: ?(.*)$/.exec(line) ?? []
    // `-- No entries --`, `-- Boot 0123… --`
    if (time === undefined) return line.startsWith('-- ') ? [] : [{ time: undefined, text: line.trimStart() }]
    return [{ time: Number(time) * 1000, text: name === `muster-${component}` ? text : `${name}: ${text}` }]
  }

/** A line of a log file: what a component logs tells its time, what it dies of does not. */
function fileLine(text: string): Dated {
  const time = Date.parse(String(logObject(text)?.time))
  return { time: Number.isNaN(time) ? undefined : time, text }
}

/** The members of a line that a component logged; undefined for any other line. */
export function logObject(text: string): Readonly<Record<string, unknown>> | undefined {
  return text.startsWith('{') ? parseJsonObject(text) : undefined
}

/** A line without a time has that of the line before it; the first ones have that of the first that has one. */
function inherited(lines: readonly Dated[]): readonly Dated[] {
  let latest = lines.find(({ time }) => time !== undefined)?.time
  return lines.map(({ time, text }) => {
    latest = time ?? latest
    return { time: latest, text }
  })
}
