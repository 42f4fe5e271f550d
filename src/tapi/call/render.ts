import { addressAndPort } from '../../base/address.ts'
import { isObject, jsonText } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { wrap } from '../../base/wrapping.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { tableLines } from '../../output/table.ts'

/** Members of a payload, not yet validated. */
export type Fields = Readonly<Record<string, unknown>>

/** Renders a value for a column; `-` if it is unknown. */
export const cell = (value: unknown): string =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : '-'

export const seconds = (value: unknown): string => (typeof value === 'number' ? `${value} s` : '-')

/** Renders an RFC 3339 time in UTC without fractions: `2025-03-10 10:12:18 UTC`. */
export const time = (value: unknown): string =>
  cell(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC')

/** Renders the address of a database server, IPv6 in brackets. */
export const address = ({ host, port }: Fields): string => addressAndPort(cell(host), cell(port))

/** Returns the objects of a list; empty if it is not a list. */
export const objects = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** Returns the value if it is an object, else an empty object. */
export const object = (value: unknown): Fields => (isObject(value) ? value : {})

/** Returns the members of the payload of a response; none if that is no object. */
export const payloadOf = (body: unknown): Fields => object(readEnvelope(body)?.payload)

/** Returns a renderer of a list of objects, as a table of these members; it shows any other body as it is. */
export const renderList =
  (...members: readonly string[]) =>
  (body: unknown, columns?: number): string => {
    const payload = readEnvelope(body)?.payload
    if (!Array.isArray(payload)) return renderBody(body)
    const rows = objects(payload).map((it) => members.map((name) => cell(it[name])))
    return renderTable(members, rows, columns)
  }

/** Returns the `changed` field; nothing if the response has none. */
export const changedField = (fields: Fields): readonly (readonly [string, string])[] =>
  typeof fields.changed === 'boolean' ? [['changed', fields.changed ? 'yes' : 'no']] : []

/** Renders aligned columns, or blocks if the terminal is too narrow; ends with a newline. */
export const renderTable = (
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
): string => `${tableLines({ titles, rows, colour: false, width: columns }).join('\n')}\n`

/** Renders aligned names and values; a long value continues below itself. Ends with a newline. */
export function renderFields(
  fields: readonly (readonly [string, string])[],
  columns = Number.POSITIVE_INFINITY,
): string {
  const column = Math.max(...fields.map(([name]) => name.length)) + 2
  const width = Math.max(columns, column + 20)
  const rest = ' '.repeat(column)
  return fields
    .flatMap(([name, value]) => wrap(printable(value), { width, first: name.padEnd(column), rest }))
    .map((line) => `${line}\n`)
    .join('')
}

/** Renders any response: a single value without quotes, everything else as JSON; ends with a newline. */
export function renderBody(body: unknown): string {
  if (typeof body === 'string')
    return body === '' || body.endsWith('\n') ? printable(body) : `${printable(body)}\n`
  const payload = readEnvelope(body)?.payload ?? body
  if (isObject(payload) && Object.keys(payload).length === 1 && typeof payload.value === 'string') {
    return `${printable(payload.value)}\n`
  }
  return jsonText(payload)
}

/** Renders a duration in its two largest units: `2 d 3 h`, `5 min 7 s`, `312 ms`. */
export function renderDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = Math.floor(milliseconds / 1000)
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

/** Summarizes the result of a change: `ONHOLD, changed`. */
export function summarizeChange(body: unknown): string {
  const payload = payloadOf(body)
  const { changed, state, policy, value } = payload
  const what = [policy, state, value].map(cell).find((word) => word !== '-')
  const services = Object.entries(payload)
    .map(([name, service]) => [name, object(service)] as const)
    .filter(([, service]) => typeof service.changed === 'boolean')
    .map(([name, service]) => `${name} ${cell(service.state)}, ${word(service.changed)}`)
  const own = [
    ...(what === undefined ? [] : [what]),
    ...(typeof changed === 'boolean' ? [word(changed)] : []),
  ]
  return [...own, ...services].join(services.length > 0 ? '; ' : ', ')
}

const word = (changed: unknown): string => (changed === true ? 'changed' : 'unchanged')
