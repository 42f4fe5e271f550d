import { vi } from 'vitest'

/**
 * Waits until this no longer throws, longer than the busiest machine needs: what has not come by then never comes.
 * `interval` is in milliseconds.
 */
export const eventually = <Result>(
  look: () => Result | Promise<Result>,
  { interval = 20 }: { readonly interval?: number } = {},
): Promise<Result> => vi.waitFor(look, { timeout: 25_000, interval })
