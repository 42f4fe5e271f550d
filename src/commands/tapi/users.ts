import type { ExitCode } from '../../cli/exitCodes.ts'
import { guarded } from '../../client/apiPath.ts'
import { get } from '../../client/calls.ts'
import { envelope, readEnvelope } from '../../client/envelope.ts'
import { listedUsers } from '../../client/listedUsers.ts'
import { basePath } from '../../contracts/route.ts'
import { briefly } from './briefly.ts'
import { cell, object, objects } from './cells.ts'
import type { Change } from './change.ts'
import { wouldRefuse } from './forecast.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { renderBody } from './renderPayload.ts'
import { renderTable } from './renderTable.ts'
import { showOutcome } from './showOutcome.ts'
import { checkUserName } from './user.ts'

function renderUsers(body: unknown, columns?: number): string {
  const payload = readEnvelope(body)?.payload
  if (!Array.isArray(payload)) return renderBody(body)
  const rows = objects(payload).map(({ user, access }) => [cell(user), cell(access)])
  return renderTable(['user', 'access'], rows, columns)
}

/** `tapi users`: the users of the host. */
export async function listUsers(call: Call): Promise<ExitCode> {
  const outcome = await get(await login(call), `${basePath}/users`)
  return showOutcome({ call, outcome, render: renderUsers })
}

/** `tapi unlock NAME`: ends the lock-outs of a user name. Throws a `UsageError` for a name that no user can have. */
export function unlockUser(name: string): Change {
  checkUserName(name)
  return {
    command: 'unlock',
    local: true,
    question: (where) => `Unlock ${name} on ${where}?`,
    order: async () => ({
      path: guarded(`${basePath}/unlock`),
      body: envelope('StringPayload', { value: name.normalize('NFC') }),
    }),
    render: (body) =>
      object(readEnvelope(body)?.payload).changed === true
        ? `${name} is unlocked\n`
        : `${name} was not locked out\n`,
    brief: briefly,
  }
}

/** `tapi delete-user NAME`: takes a user off the host. Throws a `UsageError` for a name that no user can have. */
export function deleteUser(name: string): Change {
  checkUserName(name)
  return {
    command: 'delete-user',
    local: true,
    forecast: async (call) => {
      const told = await get(call.caller, `${basePath}/users`)
      if ('problem' in told) return told
      const users = listedUsers(told.value)
      return users?.length === 1 && users[0] === name.normalize('NFC')
        ? wouldRefuse('last-user', 'No one could log in any more. Create another user first.')
        : undefined
    },
    question: (where) => `Delete the user ${name} of ${where}?`,
    order: async () => ({
      path: guarded(`${basePath}/deleteUser`),
      body: envelope('StringPayload', { value: name.normalize('NFC') }),
    }),
    render: (body) =>
      object(readEnvelope(body)?.payload).changed === true
        ? `${name} is deleted\n`
        : `user ${name} does not exist\n`,
    brief: briefly,
  }
}
