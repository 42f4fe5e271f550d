import { inspect } from 'node:util'
import { lastLines } from './printable.ts'

/**
 * Text that a host wrote, or somebody in its place. Printed in any way (string, template, JSON, util.inspect,
 * error), it is its printable end on one line, at most 1,000 characters. `raw()` is the only way to the text
 * itself, for parsers; validate what they return before use.
 */
export class HostText {
  readonly #raw: string

  constructor(raw: string) {
    this.#raw = raw
  }

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
