import { type ReadonlySignal, type Signal, signal } from '@preact/signals'

/** Things by key, each in a signal of its own, so that a change of one renders that one alone. */
export class Things<Thing> {
  readonly #signals = new Map<string, Signal<Thing | undefined>>()
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
      const thing = this.#signals.get(key)?.value
      return thing === undefined ? [] : [thing]
    })
  }

  set(key: string, thing: Thing): void {
    const found = this.#signals.get(key)
    if (found !== undefined) {
      found.value = thing
      return
    }
    this.#signals.set(key, signal<Thing | undefined>(thing))
    this.#keys.value = [...this.#signals.keys()]
  }

  delete(key: string): void {
    if (!this.#signals.has(key)) return
    this.#remove(key)
    this.#keys.value = [...this.#signals.keys()]
  }

  /** Tells who read the thing that it is gone; they find the next one of this key by the keys. */
  #remove(key: string): void {
    const gone = this.#signals.get(key)
    this.#signals.delete(key)
    if (gone !== undefined) gone.value = undefined
  }

  /** Makes these the only things. */
  replace(entries: readonly (readonly [key: string, thing: Thing])[]): void {
    const keys = new Set(entries.map(([key]) => key))
    for (const key of this.#signals.keys()) if (!keys.has(key)) this.#remove(key)
    for (const [key, thing] of entries) {
      const found = this.#signals.get(key)
      if (found === undefined) this.#signals.set(key, signal<Thing | undefined>(thing))
      else found.value = thing
    }
    const next = [...this.#signals.keys()]
    if (next.join('\n') !== this.#keys.value.join('\n')) this.#keys.value = next
  }
}
