import { existingNameProblems, userNameProblems } from '../contracts/userName.ts'
import { ProblemError } from './problemError.ts'

/** Throws when the name of a new user in a body breaks the rules; `path` is its JSON pointer. */
export const refuseUserName = (name: string, path: string): void => refuse(userNameProblems(name), path)

/** Throws when a body names a user that nobody can have. */
export const refuseNobodysName = (name: string, path: string): void =>
  refuse(existingNameProblems(name), path)

function refuse(problems: readonly string[], path: string): void {
  const errors = problems.map((message) => ({ path, message }))
  if (errors.length === 0) return
  const detail = `The user name ${errors.map(({ message }) => message).join(', ')}.`
  throw new ProblemError({ code: 'invalid-user-name', detail, errors })
}
