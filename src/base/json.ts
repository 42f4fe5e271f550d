import { printable } from './printable.ts'

/** Limits of a JSON text: one megabyte could expand to a hundred. */
const limits = { levels: 64, values: 200_000 }

/**
 * Parses JSON; returns undefined for any other text, and for JSON with more than 64 levels or 200,000 values,
 * since callers recurse into each level.
 */
export function parseJson(text: string): unknown {
  if (!isWithinLimits(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Counts brackets and commas outside of strings, without parsing. */
function isWithinLimits(text: string): boolean {
  let level = 0
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        at = endOfString(text, at)
        break
      }
      case 0x5b:
      case 0x7b:
        level += 1
        values += 1
        if (level > limits.levels) return false
        break
      case 0x5d:
      case 0x7d:
        level -= 1
        break
      case 0x2c:
        values += 1
        break
      default:
    }
    if (values > limits.values) return false
  }
  return true
}

/** Returns the index of the quote that ends the string starting at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/** Returns true for a JSON object: neither an array nor null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses a JSON object within the same limits; returns undefined for any other text or value. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/** Returns an own member; undefined if the value is not an object or has no such member. */
export const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** Returns the items of an array; none of another value. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Writes a value as JSON on one line. Invisible characters become escapes, so the value stays exact. */
export const jsonLineOf = (value: unknown): string => `${printable(JSON.stringify(value))}\n`

/** Writes a value as indented JSON, escaped like `jsonLineOf`. */
export const jsonText = (value: unknown): string => `${printable(JSON.stringify(value, null, 2))}\n`
