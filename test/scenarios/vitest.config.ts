import { defineConfig } from 'vitest/config'

// What takes long: whole runs of the programs over SSH, and tests elsewhere whose name ends in `.slow`.
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/scenarios/**/*.test.ts', 'test/**/*.slow.test.ts'],
    exclude: ['test/lab/**', 'test/ci/**'],
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: ['test/support/build.ts'],
  },
})
