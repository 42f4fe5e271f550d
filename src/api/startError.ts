import { systemErrorText } from '../base/systemErrors.ts'

/** Failure to start or go on; the message says why, and the fix, to the person who starts the server. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartError'
  }
}

/** Returns words for a system error, such as `permission denied`; its code where there are none. */
export const reasonOf = systemErrorText

/** Returns the code of an error of the system, such as `EADDRINUSE`; empty for any other. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
