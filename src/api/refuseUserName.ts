import { userNameProblems } from '../contracts/userName.ts'
import { ProblemError } from './problemError.ts'

/** Throws when a user name of a body breaks the rules; `path` is its JSON pointer. */
export function refuseUserName(name: string, path: string): void {
  const errors = userNameProblems(name).map((message) => ({ path, message }))
  if (errors.length === 0) return
  const detail = `The user name ${errors.map(({ message }) => message).join(', ')}.`
  throw new ProblemError({ code: 'invalid-user-name', detail, errors })
}
