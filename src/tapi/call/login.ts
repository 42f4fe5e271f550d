import { ask } from '../../cli/ask.ts'
import { readLoginUser } from '../../cli/optionValues.ts'
import { readPassword } from '../../cli/readPassword.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { Caller } from '../../client/calls.ts'
import type { Call } from './prepareCall.ts'

/** Names of the sources of the login password. */
export const loginPasswordSources = {
  file: '--password-file',
  stdin: '--password-stdin',
  variable: 'TAPI_PASSWORD',
}

/**
 * Adds user and password to the caller: the user from --user, TAPI_USER or a prompt, the password from its
 * options. Throws a `UsageError` if one is missing, or `Interrupted`.
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

/** Adds the login of the first call to all of them: it is asked for once. Throws as `login`. */
export async function loginAll(calls: readonly Call[], first: Call): Promise<readonly Call[]> {
  const { credentials } = await login(first)
  return calls.map((call) => ({ ...call, caller: { ...call.caller, ...(credentials && { credentials }) } }))
}

/** Returns the user from --user, TAPI_USER or a prompt. Throws a `UsageError` if there is none. */
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
