import { defineConfig } from 'vitest/config'

// The fast tests: everything but the lab, which boots real hosts, and the steps of CI services, which need the
// package registry; both have a configuration of their own.
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/lab/**', 'test/ci/**'],
    // Half of it waits for processes and sockets: one worker for each of two cores, not one less.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: ['test/support/build.ts'],
  },
})
