import { defineConfig } from 'vitest/config'

// What docs/guide/ci.md shows for CI services, and the API as programs of others see it: needs the package registry and
// the Debian packages that CONTRIBUTING.md names.
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/ci/**/*.test.ts'],
    maxWorkers: 2,
    // Ends what hangs, and nothing else.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
    globalSetup: ['test/support/build.ts', 'test/ci/support/tools.ts'],
  },
})
