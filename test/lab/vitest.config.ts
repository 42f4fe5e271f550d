import { defineConfig } from 'vitest/config'

// The lab: tests that boot real hosts. Root and Linux; one file after another, since each boots its own hosts.
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/lab/**/*.test.ts'],
    fileParallelism: false,
    sequence: { concurrent: false, shuffle: false },
    testTimeout: 180_000,
    hookTimeout: 600_000,
    // Within a file each test goes on where the one before ended.
    bail: 1,
    globalSetup: ['test/support/build.ts'],
  },
})
