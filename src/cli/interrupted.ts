import { OperatorError } from '../diagnostics/operatorError.ts'

/** Ctrl-C or SIGTERM stopped a command; the programs answer it with exit code 130 and print nothing more. */
export class Interrupted extends OperatorError {
  /** True if the user has read already that nothing was changed. */
  readonly told: boolean
  constructor(options: { readonly told: boolean } = { told: false }) {
    super('interrupted')
    this.told = options.told
    this.name = 'Interrupted'
  }
}
