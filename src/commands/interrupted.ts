/** Ctrl-C or SIGTERM stopped a command; the programs answer it with exit code 130 and print nothing more. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted')
    this.name = 'Interrupted'
  }
}
