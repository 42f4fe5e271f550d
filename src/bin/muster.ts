#!/usr/bin/env node
import { printVersion } from './printVersion.ts'

// No top-level await: the single executable carries this program as CommonJS.
async function run(argv: readonly string[]): Promise<void> {
  const { muster } = await import('../commands/muster.ts')
  const { createProcessContext, processInvocation } = await import('./processContext.ts')
  const forcedStopMessage =
    'Stopped immediately: a step may be incomplete on a host. Run the same command again to continue.'
  const context = {
    ...createProcessContext(forcedStopMessage),
    calledAs: processInvocation('muster'),
  }
  process.exitCode = await muster({ argv, context })
  // Abandoned connections would keep the process alive until their timeout.
  if (context.signal.aborted) process.exit()
}

const argv = process.argv.slice(2)
if (!printVersion(argv)) void run(argv)
