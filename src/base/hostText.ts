import { inspect } from 'node:util'
import { lastLines } from './printable.ts'

/**
 * Text that a host, or whoever answers in its place, wrote. Wherever it is printed (string, template, JSON,
 * util.inspect, error) it is the printable end of it in one line, at most 1,000 characters. `raw()` is the one way to
 * the text itself, for parsers; what they return is to be judged before it is used.
 */
export class HostText {
  readonly #raw: string

  constructor(raw: string) {
    this.#raw = raw
  }

  /** The text itself. */
  raw(): string {
    return this.#raw
  }

  toString(): string {
    return lastLines(this.#raw)
  }

  toJSON(): string {
    return lastLines(this.#raw)
  }

  [Symbol.toPrimitive](): string {
    return lastLines(this.#raw)
  }

  [inspect.custom](): string {
    return lastLines(this.#raw)
  }
}
