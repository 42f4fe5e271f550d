import { OperatorError } from '../diagnostics/operatorError.ts'

/** Ctrl-C or SIGTERM stopped a command; the programs answer it with exit code 130 and print nothing more. */
export class Interrupted extends OperatorError {
  /** True if a message already said that nothing was changed. */
  readonly reported: boolean
  constructor(options: { readonly reported: boolean } = { reported: false }) {
    super('interrupted')
    this.reported = options.reported
    this.name = 'Interrupted'
  }
}
