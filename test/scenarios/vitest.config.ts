import { defineConfig } from 'vitest/config'

// What takes long: whole runs of the programs over SSH, tests elsewhere whose name ends in `.slow`, and the properties,
// which the fast tests run with a tenth of the cases.
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/scenarios/**/*.test.ts', 'test/**/*.slow.test.ts', 'test/**/*.property.test.ts'],
    env: { PROPERTIES: 'thorough', MUSTER_TEST_SCRYPT_LN: '4' },
    exclude: ['test/browser/**', 'test/lab/**', 'test/ci/**'],
    maxWorkers: 2,
    // Long on purpose: what is waited for comes sooner, or never.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 25_000, interval: 20 } },
    setupFiles: ['test/support/propertySeed.ts'],
    globalSetup: ['test/support/build.ts'],
  },
})
