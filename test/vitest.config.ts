import { defineConfig } from 'vitest/config'

// The fast tests: everything but the lab, which boots real hosts and has a configuration of its own.
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/lab/**'],
    // Half of it waits for processes and sockets: one worker for each of two cores, not one less.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: ['test/support/build.ts'],
  },
})
