import type { CommandContext } from '../cli/context.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import type { ThisMachine } from './options.ts'
import type { Runner } from './runner.ts'

/** The runner, loaded when a command runs: --help and --version are quick without all that calls an API. */
export function lazyRunner(world: {
  readonly context: CommandContext
  /** Looked up unless given. */
  readonly machine: ThisMachine | undefined
  readonly done: (code: ExitCode) => void
}): Runner {
  const load = async (): Promise<Runner> => {
    const { createRunner } = await import('./runner.ts')
    const machine = world.machine ?? (await import('./options.ts')).thisMachine()
    return createRunner({ ...world, machine })
  }
  return {
    read: async (...told) => (await load()).read(...told),
    readHost: async (...told) => (await load()).readHost(...told),
    change: async (...told) => (await load()).change(...told),
    changeEach: async (...told) => (await load()).changeEach(...told),
  }
}
