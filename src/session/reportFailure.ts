import { systemErrorText } from '../base/systemErrors.ts'
import { CertificateError } from '../certificates/certificateError.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { ExitError } from '../cli/exitError.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { lineLayout } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { StateError } from '../deployment/state/stateError.ts'
import { StepError } from '../deployment/stepError.ts'
import { failureText } from '../output/deployment/failureText.ts'
import { ProcessError } from '../processes/processError.ts'
import { SecretError } from '../secrets/secretError.ts'
import { TransportError } from '../transport/transportError.ts'

/**
 * Prints an expected failure on standard error and returns its exit code. Rethrows anything else, which is a bug, with
 * its stack.
 */
export function reportFailure(context: CommandContext, error: unknown): ExitCode {
  const { stderr } = context
  if (error instanceof Interrupted) return exitCodes.interrupted
  if (error instanceof ExitError) return error.exitCode
  if (error instanceof UsageError) {
    stderr.write(`error: ${error.message}\n  fix: ${error.fix}\n`)
    return exitCodes.usage
  }
  if (error instanceof StateError || error instanceof SecretError || error instanceof CertificateError) {
    stderr.write(`error: ${error.message} [${error.code}]\n  fix: ${error.fix}\n`)
    return error.code === 'locked' ? exitCodes.locked : exitCodes.failed
  }
  if (error instanceof StepError || error instanceof TransportError) {
    stderr.write(failureText({ host: error.host, failure: error, ...lineLayout(context, stderr) }))
    return context.signal.aborted ? exitCodes.interrupted : exitCodes.failed
  }
  if (error instanceof ProcessError) {
    stderr.write(`error: ${error.message}\n`)
    return exitCodes.failed
  }
  if (isFileError(error)) {
    stderr.write(
      `error: a file or folder on this machine cannot be used: ${error.path}: ${systemErrorText(error)} [${error.code}]\n  fix: Check its permissions and the free disk space, then run the command again.\n`,
    )
    return exitCodes.failed
  }
  throw error
}

/** Returns true for a file operation that the system refused, such as on a full disk. */
const isFileError = (error: unknown): error is NodeJS.ErrnoException & { readonly path: string } =>
  error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string'
