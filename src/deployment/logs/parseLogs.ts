import { parseJsonObject } from '../../base/json.ts'
import { type Component, isComponent } from '../../contracts/component.ts'

/** Line that a component logged, or that systemd logged about it. */
export type LogLine = {
  readonly host: string
  readonly component: Component
  /** Milliseconds since 1970 by the host's clock; a line without a time has that of the line before it. */
  readonly time: number | undefined
  readonly text: string
}

/** Merges lines by time; lines of one log keep their order. */
export const mergeLines = (logs: readonly (readonly LogLine[])[]): readonly LogLine[] =>
  logs.flat().sort((one, other) => (one.time ?? 0) - (other.time ?? 0))

/** Output of the logs script: the host's clock, the owner of the installation, and the lines of each log. */
export type ReadLogs = {
  /** Milliseconds since 1970. */
  readonly clock: number
  readonly manifest?: string
  readonly logs: readonly (readonly LogLine[])[]
}

/** Form of the lines of a log: of the service manager, or of a file. */
export type LogForm = 'journal' | 'file'

type DatedLine = Pick<LogLine, 'time' | 'text'>

/** Returns the parser of one line of a log, which may be none of the component's. */
export const lineParser = (form: LogForm, component: Component): ((line: string) => readonly DatedLine[]) =>
  form === 'journal' ? journalLine(component) : (line) => [fileLine(line)]

/**
 * Parses the rows of the logs script and ignores unknown ones. Keeps the last `most` lines of each component.
 * Undefined if the host printed no time.
 */
export function parseLogs(
  host: string,
  output: string,
  most: number,
): ReadLogs | { readonly untrusted: string } | undefined {
  const rows = output.split('\n').map((line) => line.split('\t', 3))
  const manifest = decode(rows.find(([key]) => key === 'manifest')?.[1])
  const untrusted = decode(rows.find(([key]) => key === 'untrusted')?.[1])
  if (untrusted !== '') return { untrusted }
  const clock = millisecondsOf(rows.find(([key]) => key === 'clock')?.[1] ?? '')
  if (clock === undefined) return undefined
  const read = new Set<string>()
  const logs = rows.flatMap(([kind, component = '', content]) => {
    if (!isComponent(component) || (kind !== 'journal' && kind !== 'file')) return []
    if (read.has(component)) return []
    read.add(component)
    const lines = lastLines(decode(content), most).filter((line) => line !== '')
    const dated = lines.flatMap(lineParser(kind, component))
    return [inheritTimes(dated).map((line): LogLine => ({ host, component, ...line }))]
  })
  return { clock, ...(manifest === '' ? {} : { manifest }), logs }
}

export const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8')

/** Returns the last lines of a text without splitting all of it. */
function lastLines(text: string, most: number): readonly string[] {
  let from = text.endsWith('\n') ? text.length - 1 : text.length
  for (let count = 0; count < most && from > 0; count += 1) from = text.lastIndexOf('\n', from - 1)
  return text.slice(Math.max(0, from + (from > 0 ? 1 : 0))).split('\n')
}

/** Parses seconds since 1970; undefined outside the range of dates (ECMA-262, "Time Values"). */
export function millisecondsOf(seconds: string): number | undefined {
  const time = /^\d{1,12}(?:\.\d{1,9})?$/.test(seconds) ? Number(seconds) * 1000 : Number.NaN
  return Number.isNaN(new Date(time).getTime()) ? undefined : time
}

/** A line of `journalctl -o short-unix`; further lines of one message are indented and have no time. */
const journalLine =
  (component: string) =>
  (line: string): readonly DatedLine[] => {
    const [, time, name, text = ''] = /^(\d+\.\d+) \S+ ([^\s:[]+)(?:\[\d+\])?: ?(.*)$/.exec(line) ?? []
    // `-- No entries --`, `-- Boot 0123… --`
    if (time === undefined) return line.startsWith('-- ') ? [] : [{ time: undefined, text: line.trimStart() }]
    return [{ time: millisecondsOf(time), text: name === `muster-${component}` ? text : `${name}: ${text}` }]
  }

/** Parses a line of a log file: a component's log lines have a time, its crash output does not. */
function fileLine(text: string): DatedLine {
  const logged = logObject(text)?.time
  const time = typeof logged === 'string' ? Date.parse(logged) : Number.NaN
  return { time: Number.isNaN(time) ? undefined : time, text }
}

/** Returns the members of a JSON log line; undefined for any other line. */
export function logObject(text: string): Readonly<Record<string, unknown>> | undefined {
  return text.startsWith('{') ? parseJsonObject(text) : undefined
}

/** Gives a line without a time the time of the line before it; the first lines get the first known time. */
function inheritTimes(lines: readonly DatedLine[]): readonly DatedLine[] {
  let latest = lines.find(({ time }) => time !== undefined)?.time
  return lines.map(({ time, text }) => {
    latest = time ?? latest
    return { time: latest, text }
  })
}
