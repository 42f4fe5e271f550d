import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { StateError } from '../deployment/state/stateError.ts'

const usage: readonly string[] = ['already-exists', 'no-state', 'not-an-archive', 'weak-passphrase']

/** Says what went wrong with the state directory and which exit code that is; rethrows what is a bug. */
export function stateFailure(context: Pick<CommandContext, 'stderr'>, error: unknown): ExitCode {
  if (!(error instanceof StateError)) throw error
  context.stderr.write(`error: ${error.message} (${error.code})\n  fix: ${error.fix}\n`)
  if (error.code === 'locked') return exitCodes.locked
  return usage.includes(error.code) ? exitCodes.usage : exitCodes.failed
}
