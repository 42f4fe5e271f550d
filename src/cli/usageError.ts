import { OperatorError } from '../diagnostics/operatorError.ts'

/** A command was called in a way that cannot work: what is wrong and how to call it (exit code 3). */
export class UsageError extends OperatorError {
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.name = 'UsageError'
    this.fix = fix
  }
}
