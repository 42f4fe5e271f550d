import { defineConfig } from 'vitest/config'

// The fast tests. Those that take long (whole runs over SSH, real databases, killed writers, hostile callers), the
// dashboard in a browser, the lab, which boots real hosts, and the steps of CI services, which need the package
// registry, have configurations of their own.
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/scenarios/**',
      'test/**/*.slow.test.ts',
      'test/browser/**',
      'test/lab/**',
      'test/ci/**',
      'test/soak/**',
    ],
    env: { MUSTER_TEST_SCRYPT_LN: '4' },
    // Half of it waits for processes and sockets: one worker for each of two cores, not one less.
    maxWorkers: 2,
    // Reading the same modules anew for each of 250 files was a third of all time.
    isolate: false,
    // Long on purpose: what is waited for comes sooner, or never.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 25_000, interval: 20 } },
    setupFiles: ['test/support/propertySeed.ts'],
    globalSetup: ['test/support/build.ts'],
  },
})
