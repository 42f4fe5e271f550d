import { printable } from '../../base/printable.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import { UsageError } from '../../cli/usageError.ts'
import { user } from '../../client/calls.ts'
import { existingNameProblems, userNameProblems } from '../../contracts/userName.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { renderFields } from './renderPayload.ts'
import { showOutcome } from './showOutcome.ts'

/** `tapi user NAME`: what the host knows of a user. */
export async function userCommand(call: Call, name: string): Promise<ExitCode> {
  checkUserName(name)
  const outcome = await user(await login(call), name)
  return showOutcome({
    call,
    outcome,
    render: (found) =>
      renderFields([
        ['user', found.user],
        ['access', found.access],
      ]),
  })
}

/** Throws a `UsageError` for a name that no user can have (specification section 5.5). */
export const checkUserName = (name: string): void => check(name, existingNameProblems(name))

/** Throws a `UsageError` for a name that no new user may have. */
export const checkNewName = (name: string): void => check(name, userNameProblems(name))

function check(name: string, problems: readonly string[]): void {
  if (problems.length === 0) return
  throw new UsageError(
    `The user name ${printable(JSON.stringify(name))} ${problems.join(', and ')}.`,
    'Choose a name of letters, digits, dots, dashes and underscores.',
  )
}
