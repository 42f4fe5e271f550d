import { setTimeout as delay } from 'node:timers/promises'

/**
 * Does one work after another, again and again, until it is over; each is followed by three times as long a rest as it took.
 * Clients without a rest would take all processors from what they watch, which then takes ten times as long.
 */
export async function byTurns(works: readonly (() => Promise<void>)[], isOver: () => boolean): Promise<void> {
  for (;;) {
    for (const work of works) {
      if (isOver()) return
      const began = performance.now()
      await work()
      // time: a rest by the length of the work.
      await delay(3 * (performance.now() - began))
    }
  }
}
