#!/usr/bin/env node
import { printVersion } from './printVersion.ts'

const argv = process.argv.slice(2)
if (!printVersion(argv)) {
  const { muster } = await import('../commands/program.ts')
  const { createProcessContext } = await import('./processContext.ts')
  process.exitCode = await muster({ argv, context: createProcessContext() })
}
