import { printable } from '../base/printable.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { UsageError } from '../cli/usageError.ts'
import { user } from '../client/calls.ts'
import { commonRoutes } from '../contracts/commonRoutes.ts'
import { existingNameProblems, userNameProblems } from '../contracts/credentialRules.ts'
import { callOf } from '../contracts/routeCall.ts'
import { login } from './call/login.ts'
import { defineCall } from './call/oneCall.ts'
import type { Call } from './call/prepareCall.ts'
import { payloadOf, renderFields, renderList } from './call/render.ts'
import type { Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'

async function showUser(call: Call, name: string): Promise<ExitCode> {
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
const checkUserName = (name: string): void => check(name, existingNameProblems(name))

/** Throws a `UsageError` for a name that no new user may have. */
export const checkNewName = (name: string): void => check(name, userNameProblems(name))

function check(name: string, problems: readonly string[]): void {
  if (problems.length === 0) return
  throw new UsageError(
    `The user name ${printable(JSON.stringify(name))} ${problems.join(', and ')}.`,
    'Choose a name of letters, digits, dots, dashes and underscores.',
  )
}

const name = ['<name>', 'name of the user'] as const

type Named = { readonly name: string }

const changing = {
  argument: name,
  local: true,
  prepare: (given: Named) => {
    checkUserName(given.name)
    return given
  },
} as const

/** Returns the body of a call that changes a user. */
const named = ({ name }: Named) => ({ payload: { value: name.normalize('NFC') } })

const isChanged = (body: unknown): boolean => payloadOf(body).changed === true

export const defineUsers = defineCall({
  request: () => callOf(commonRoutes.users),
  render: renderList('user', 'access'),
})

export function defineUser(command: CliCommand, { read }: Runner): void {
  command.argument(...name).action((name: string) => read(command, (call) => showUser(call, name)))
}

export const defineUnlock = defineCall({
  ...changing,
  question: (where, { name }: Named) => `Unlock ${name} on ${where}?`,
  request: (given: Named) => callOf(commonRoutes.unlock, {}, named(given)),
  render: (body, _, { name }: Named) => `${name} ${isChanged(body) ? 'is unlocked' : 'was not locked out'}\n`,
})

export const defineDeleteUser = defineCall({
  ...changing,
  question: (where, { name }: Named) => `Delete the user ${name} of ${where}?`,
  request: (given: Named) => callOf(commonRoutes.deleteUser, {}, named(given)),
  render: (body, _, { name }: Named) =>
    isChanged(body) ? `${name} is deleted\n` : `user ${name} does not exist\n`,
})
