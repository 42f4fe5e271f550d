import { OperatorError } from '../diagnostics/operatorError.ts'
import type { ExitCode } from './exitCodes.ts'

/** Ends a command with an exit code; the reason has been printed. */
export class ExitError extends OperatorError {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode) {
    super(`the command ended with exit code ${exitCode}`)
    this.name = 'ExitError'
    this.exitCode = exitCode
  }
}
