import { isObject } from './envelope.ts'

/** The value that a JSON text stands for; undefined where it is none, whatever it holds instead. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The same of an object; undefined for any other value, too. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/** A member of a value that may be no object, or have none of that name. */
export const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
