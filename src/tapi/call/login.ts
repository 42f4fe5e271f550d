import { ask } from '../../cli/ask.ts'
import { readLoginUser } from '../../cli/optionValues.ts'
import { readPassword } from '../../cli/readPassword.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { Caller } from '../../client/calls.ts'
import type { Call } from './prepareCall.ts'

/** Names of what a login's password may come from. */
export const loginPasswordSources = {
  file: '--password-file',
  stdin: '--password-stdin',
  variable: 'TAPI_PASSWORD',
}

/**
 * The caller with a user and a password: the user from --user, TAPI_USER or a question, the password from
 * wherever the options say. Throws a `UsageError` where there is no way to have them, or `Interrupted`.
 */
export async function login(call: Call): Promise<Caller> {
  const { context, options } = call
  const user = await loginUser(call)
  const password = await readPassword({
    context,
    what: `the password of ${user}`,
    options: loginPasswordSources,
    file: options.passwordFile,
    stdin: options.passwordStdin,
  })
  return { ...call.caller, credentials: { user, password } }
}

/** The user from --user, TAPI_USER or a question. Throws a `UsageError` where there is no way to have one. */
export async function loginUser({ context, options }: Call): Promise<string> {
  if (options.user !== undefined) return options.user
  const fromEnvironment = context.env.TAPI_USER
  if (fromEnvironment !== undefined && fromEnvironment !== '') return readLoginUser(fromEnvironment)
  const asked = context.stdin.isTTY === true ? await ask(context, 'User:') : undefined
  if (asked !== undefined && asked !== '') return readLoginUser(asked)
  throw new UsageError(
    'This call needs a login, and no user is given.',
    'Name the user with --user, or in the environment as TAPI_USER.',
  )
}
