#!/usr/bin/env node
import { printVersion } from './printVersion.ts'

const argv = process.argv.slice(2)
if (!printVersion(argv)) {
  const { muster } = await import('../commands/muster.ts')
  const { createProcessContext } = await import('./processContext.ts')
  const atOnce =
    'Stopped at once: a step may be incomplete on a host. Run the same command again to continue.'
  const context = createProcessContext(atOnce)
  process.exitCode = await muster({ argv, context })
  // Connections that were given up would keep it until their time is over.
  if (context.signal.aborted) process.exit()
}
