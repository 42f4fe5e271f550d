import { printable } from '../base/printable.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { UsageError } from '../cli/usageError.ts'
import { send, user } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import { commonRoutes } from '../contracts/commonRoutes.ts'
import { existingNameProblems, userNameProblems } from '../contracts/credentialRules.ts'
import { callOf } from '../contracts/routeCall.ts'
import type { Change } from './call/change.ts'
import { addConfirmationOptions } from './call/confirmation.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import {
  cell,
  object,
  objects,
  renderBody,
  renderFields,
  renderTable,
  summarizeChange,
} from './call/render.ts'
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

function renderUsers(body: unknown, columns?: number): string {
  const payload = readEnvelope(body)?.payload
  if (!Array.isArray(payload)) return renderBody(body)
  const rows = objects(payload).map(({ user, access }) => [cell(user), cell(access)])
  return renderTable(['user', 'access'], rows, columns)
}

async function listUsers(call: Call): Promise<ExitCode> {
  const outcome = await send(await login(call), callOf(commonRoutes.users))
  return showOutcome({ call, outcome, render: renderUsers })
}

/** Creates the change that unlocks a user. Throws a `UsageError` for a name that no user can have. */
function unlockUser(name: string): Change {
  checkUserName(name)
  return {
    command: 'unlock',
    local: true,
    question: (where) => `Unlock ${name} on ${where}?`,
    request: async () => callOf(commonRoutes.unlock, {}, { payload: { value: name.normalize('NFC') } }),
    render: (body) =>
      object(readEnvelope(body)?.payload).changed === true
        ? `${name} is unlocked\n`
        : `${name} was not locked out\n`,
    summarize: summarizeChange,
  }
}

/** Creates the change that deletes a user. Throws a `UsageError` for a name that no user can have. */
function deleteUser(name: string): Change {
  checkUserName(name)
  return {
    command: 'delete-user',
    local: true,
    question: (where) => `Delete the user ${name} of ${where}?`,
    request: async () => callOf(commonRoutes.deleteUser, {}, { payload: { value: name.normalize('NFC') } }),
    render: (body) =>
      object(readEnvelope(body)?.payload).changed === true
        ? `${name} is deleted\n`
        : `user ${name} does not exist\n`,
    summarize: summarizeChange,
  }
}

export function defineUsers(command: CliCommand, { read }: Runner): void {
  command.action(() => read(command, listUsers))
}

export function defineUser(command: CliCommand, { read }: Runner): void {
  command
    .argument('<name>', 'name of the user')
    .action((name: string) => read(command, (call) => showUser(call, name)))
}

export function defineUnlock(command: CliCommand, { change }: Runner): void {
  addConfirmationOptions(command)
    .argument('<name>', 'name of the user')
    .action((name: string) => change(command, () => unlockUser(name)))
}

export function defineDeleteUser(command: CliCommand, { change }: Runner): void {
  addConfirmationOptions(command)
    .argument('<name>', 'name of the user')
    .action((name: string) => change(command, () => deleteUser(name)))
}
