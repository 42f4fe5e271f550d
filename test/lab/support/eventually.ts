import { setTimeout as delay } from 'node:timers/promises'

/**
 * Asks again until the answer is neither undefined nor false, and returns it.
 * Throws after `timeout` milliseconds with `what` and the last error.
 */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
  { timeout = 60_000, every = 50 }: { readonly timeout?: number; readonly every?: number } = {},
): Promise<Exclude<T, undefined | false>> {
  const end = performance.now() + timeout
  let last: unknown
  while (performance.now() < end) {
    try {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
    } catch (error) {
      last = error
    }
    await delay(every)
  }
  throw new Error(`waited ${timeout} ms in vain for ${what}`, { cause: last })
}
