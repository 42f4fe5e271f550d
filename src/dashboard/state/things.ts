import { type ReadonlySignal, type Signal, signal } from '@preact/signals'

/** Things by key, each in a signal of its own, so that a change of one renders that one alone. */
export class Things<Thing> {
  readonly #signals = new Map<string, Signal<Thing>>()
  readonly #keys = signal<readonly string[]>([])

  /** Keys in the order in which the things arrived. */
  get keys(): ReadonlySignal<readonly string[]> {
    return this.#keys
  }

  /** Returns a thing, and undefined for one that is not there; follows the coming and going of things. */
  get(key: string): Thing | undefined {
    const found = this.#signals.get(key)
    if (found !== undefined) return found.value
    // Reading the keys makes the reader wait for a thing that comes later.
    return this.#keys.value.includes(key) ? this.#signals.get(key)?.value : undefined
  }

  /** Returns all things, and follows every change of each. */
  all(): readonly Thing[] {
    return this.#keys.value.flatMap((key) => {
      const found = this.#signals.get(key)
      return found === undefined ? [] : [found.value]
    })
  }

  set(key: string, thing: Thing): void {
    const found = this.#signals.get(key)
    if (found !== undefined) {
      found.value = thing
      return
    }
    this.#signals.set(key, signal(thing))
    this.#keys.value = [...this.#signals.keys()]
  }

  delete(key: string): void {
    if (this.#signals.delete(key)) this.#keys.value = [...this.#signals.keys()]
  }

  /** Makes these the only things. */
  replace(entries: readonly (readonly [key: string, thing: Thing])[]): void {
    const keys = new Set(entries.map(([key]) => key))
    for (const key of this.#signals.keys()) if (!keys.has(key)) this.#signals.delete(key)
    for (const [key, thing] of entries) {
      const found = this.#signals.get(key)
      if (found === undefined) this.#signals.set(key, signal(thing))
      else found.value = thing
    }
    const next = [...this.#signals.keys()]
    if (next.join('\n') !== this.#keys.value.join('\n')) this.#keys.value = next
  }
}
