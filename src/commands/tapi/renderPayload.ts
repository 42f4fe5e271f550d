import { isObject, jsonText } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { wrap } from '../../base/wrapping.ts'
import { readEnvelope } from '../../client/envelope.ts'

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
