import { systemWords } from '../base/systemErrors.ts'

/** Why a server cannot start or go on, and the fix, in words for the person who starts it. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartError'
  }
}

/** Words for an error of the system, such as `permission denied`; its code where there are none. */
export const reasonOf = systemWords
