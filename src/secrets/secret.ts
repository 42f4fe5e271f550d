import { inspect } from 'node:util'

const mark = '[redacted]'

/**
 * A value that must not be printed: in any output (string, template, JSON, util.inspect, error) it is
 * `[redacted]`. `reveal()` is the only way to the value; review each call of it.
 */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  equals(other: Secret): boolean {
    return this.#value === other.#value
  }

  toString(): string {
    return mark
  }

  toJSON(): string {
    return mark
  }

  [Symbol.toPrimitive](): string {
    return mark
  }

  [inspect.custom](): string {
    return mark
  }
}
