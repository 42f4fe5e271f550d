import { defineConfig } from 'vitest/config'

// The lab: tests that boot real hosts. Root and Linux. Each file has hosts and a network of its own; two at a time,
// since much of their time is spent on waiting for what hosts do by themselves.
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/lab/**/*.test.ts'],
    maxWorkers: 2,
    sequence: { concurrent: false, shuffle: false },
    testTimeout: 180_000,
    hookTimeout: 600_000,
    // Within a file each test goes on where the one before ended.
    bail: 1,
    expect: { poll: { timeout: 25_000 } },
    globalSetup: ['test/support/build.ts'],
  },
})
