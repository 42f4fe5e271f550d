import { defineConfig } from 'vitest/config'

// The three components under load for ten minutes, or MUSTER_SOAK_MINUTES.
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/soak/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 25_000, interval: 20 } },
    globalSetup: ['test/support/build.ts'],
  },
})
