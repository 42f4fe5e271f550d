import { defineConfig } from 'vitest/config'

// The dashboard in Debian's Chromium, against a server that plays a cluster.
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/browser/**/*.test.ts'],
    maxWorkers: 2,
    // Long on purpose: what is waited for comes sooner, or never.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 25_000, interval: 20 } },
    globalSetup: ['test/support/build.ts'],
  },
})
