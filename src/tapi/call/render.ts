import { addressAndPort } from '../../base/address.ts'
import { isObject, jsonText } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { wrap } from '../../base/wrapping.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { tableLines } from '../../output/table.ts'

/** The members of a payload, whatever they are. */
export type Fields = Readonly<Record<string, unknown>>

/** A value in a column; what is not known is a dash. */
export const cell = (value: unknown): string =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : '-'

/** A length of time in whole seconds. */
export const seconds = (value: unknown): string => (typeof value === 'number' ? `${value} s` : '-')

/** A point in time as payloads tell it (RFC 3339, UTC), without fractions: `2025-03-10 10:12:18 UTC`. */
export const time = (value: unknown): string =>
  cell(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC')

/** Where a database server listens, IPv6 in brackets. */
export const address = ({ host, port }: Fields): string => addressAndPort(cell(host), cell(port))

/** The objects of a list; none where it is no list. */
export const objects = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The object below a member; empty where there is none. */
export const object = (value: unknown): Fields => (isObject(value) ? value : {})

/** Whether a call changed something, as a field of its answer; nothing where the answer does not tell. */
export const changedField = (fields: Fields): readonly (readonly [string, string])[] =>
  typeof fields.changed === 'boolean' ? [['changed', fields.changed ? 'yes' : 'no']] : []

/** Rows under a headline, in aligned columns, or in blocks where the terminal is too narrow; ends with a newline. */
export const renderTable = (
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
): string => `${tableLines({ titles, rows, colour: false, width: columns }).join('\n')}\n`

/** Rows of a name and a value, aligned; a value that is too long goes on below itself. Ends with a newline. */
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

/** Any answer as a person reads it: a single value bare, everything else as JSON; ends with a newline. */
export function renderBody(body: unknown): string {
  if (typeof body === 'string')
    return body === '' || body.endsWith('\n') ? printable(body) : `${printable(body)}\n`
  const payload = readEnvelope(body)?.payload ?? body
  if (isObject(payload) && Object.keys(payload).length === 1 && typeof payload.value === 'string') {
    return `${printable(payload.value)}\n`
  }
  return jsonText(payload)
}

/** A length of time in its two largest units: `2 d 3 h`, `5 min 7 s`, `312 ms`. */
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

/** What a change brought, in a few words: `ONHOLD, changed`. */
export function summarizeChange(body: unknown): string {
  const payload = object(readEnvelope(body)?.payload)
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
