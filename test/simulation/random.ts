/** Numbers that look random and are the same for the same seed. */
export type Random = {
  /** From 0 to 1, without 1. */
  number(): number
  between(least: number, most: number): number
  whole(least: number, most: number): number
  isChance(probability: number): boolean
  of<Item>(items: readonly Item[]): Item
}

/** Creates the numbers of a seed (mulberry32 of Tommy Ettinger, public domain). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const number = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number): number => least + (most - least) * number()
  const whole = (least: number, most: number): number => Math.floor(between(least, most + 1))
  return {
    number,
    between,
    whole,
    isChance: (probability) => number() < probability,
    of: (items) => items[whole(0, items.length - 1)] as (typeof items)[number],
  }
}
