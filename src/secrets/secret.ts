import { inspect } from 'node:util'

const mark = '[redacted]'

/**
 * A value that must not be seen: it prints as `[redacted]` wherever it is printed (string, template,
 * JSON, util.inspect, error). `reveal()` is the one way to the value; every call of it is a place to review.
 */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself. */
  reveal(): string {
    return this.#value
  }

  /** Whether both hold the same value. */
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
