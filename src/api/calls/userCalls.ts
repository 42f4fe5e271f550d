import type { Accounts } from '../../accounts/accounts.ts'
import {
  findUser,
  losesLastFullUser,
  putUser,
  readUserUpdate,
  removeUser,
  type UserFile,
  type UserRecord,
  type UserUpdate,
} from '../../accounts/userFile.ts'
import {
  type Credentials,
  type CredentialsPayload,
  type CredentialsRequest,
  credentialsOf,
  obfuscated,
} from '../../contracts/commonPayloads.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { existingNameProblems, passwordProblems, userNameProblems } from '../../contracts/credentialRules.ts'
import { hostRoutes } from '../../contracts/hostRoutes.ts'
import { Secret } from '../../secrets/secret.ts'
import { ProblemError } from '../problemError.ts'
import { type Call, isDry, serve } from '../serve.ts'

const credentialsPayload = ({ user, access }: UserRecord): CredentialsPayload => ({
  user,
  pass: obfuscated,
  access,
})

/** Returns the users; those that the caller's login was checked against where there was one. */
const currentUsers = ({ caller }: Pick<Call, 'caller'>, accounts: Accounts) =>
  caller.kind === 'user' ? accounts.lastSeenUsers() : accounts.users()

export const user = serve(commonRoutes.user, async (call, { accounts }) => {
  const name = (call.params.user ?? '').normalize('NFC')
  const record = (await currentUsers(call, accounts)).find((it) => it.user === name)
  if (record) return credentialsPayload(record)
  throw new ProblemError({ code: 'not-found', detail: 'This host has no user of that name.' })
})

export const users = serve(commonRoutes.users, async (call, { accounts }) =>
  (await currentUsers(call, accounts)).map((it) => credentialsPayload(it)),
)

/** Returns a user for the audit log, never with the hash; null where there is none. */
const auditedUser = (record: UserRecord | undefined): object | null =>
  record ? { user: record.user, access: record.access } : null

/** Throws if the name of a new user breaks the rules; `path` is its JSON pointer in the body. */
const rejectNewUserName = (name: string, path: string): void => rejectName(userNameProblems(name), path)

/** Throws if no user can have this name. */
const rejectUserName = (name: string, path: string): void => rejectName(existingNameProblems(name), path)

function rejectName(problems: readonly string[], path: string): void {
  const errors = problems.map((message) => ({ path, message }))
  if (errors.length === 0) return
  const detail = `The user name ${errors.map(({ message }) => message).join(', ')}.`
  throw new ProblemError({ code: 'invalid-user-name', detail, errors })
}

type Read = Pick<Call<CredentialsRequest>, 'body' | 'audit'>

function readCredentials({ body, audit }: Read): Credentials {
  const pair = credentialsOf(body)
  if ('errors' in pair) {
    const detail = pair.errors.map(({ path, message }) => `${path} ${message}`).join('; ')
    throw new ProblemError({ code: 'invalid-body', detail: `Invalid body: ${detail}.`, errors: pair.errors })
  }
  audit({ parameters: { user: pair.user, access: pair.access } })
  const place = body.payload === undefined ? '' : '/payload'
  rejectNewUserName(pair.user, `${place}/user`)
  const errors = passwordProblems(pair.pass).map((message) => ({ path: `${place}/pass`, message }))
  if (errors.length > 0) {
    const detail = `The password ${errors.map(({ message }) => message).join(', ')}.`
    throw new ProblemError({ code: 'invalid-password', detail, errors })
  }
  return pair
}

export const createAdminUser = serve(commonRoutes.createAdminUser, async (call, { accounts }) => {
  const { user, pass, access } = readCredentials(call)
  const hashed = await accounts.recordFor({ user, password: new Secret(pass) })
  const update: UserUpdate = { ...hashed, ...(access && { access }) }
  const changed = await accounts.change((file) => {
    call.audit({ before: auditedUser(findUser(file, update.user)) })
    // Two may come at once while there is no user: the second of them is not the first any more.
    if (call.caller.kind === 'anonymous' && file.users.length > 0) {
      const detail = 'Another call has just created the first user of this host. Log in as a user.'
      throw new ProblemError({ code: 'login-required', detail })
    }
    const next = keepFullUser(file, putUser(file, update))
    // A new password alone leaves both the same; `changed` shows it.
    call.audit({ after: auditedUser(findUser(next, update.user)) })
    return next
  })
  call.audit({ changed })
  return { value: `${call.baseUrl}/user/${encodeURIComponent(update.user)}` }
})

/** Returns the changed file; throws if nobody is left who may change users. */
function keepFullUser(file: UserFile, next: UserFile): UserFile {
  if (!losesLastFullUser(file, next)) return next
  const detail = 'The host would have no user with the access level full. Create another one with it first.'
  throw new ProblemError({ code: 'last-user', detail })
}

export const deleteUser = serve(commonRoutes.deleteUser, async (call, { accounts }) => {
  const { body, audit } = call
  const name = body.payload.value
  audit({ parameters: { user: name } })
  rejectUserName(name, '/payload/value')
  const edit = (file: UserFile): UserFile => {
    audit({ before: auditedUser(findUser(file, name)) })
    return keepFullUser(file, removeUser(file, name))
  }
  if (isDry(call)) return { value: true, changed: await accounts.wouldChange(edit) }
  const changed = await accounts.change(edit)
  audit({ after: null })
  return { value: true, changed }
})

/** Every component counts failed logins by itself, so this unlocks for one component only. */
export const unlock = serve(commonRoutes.unlock, (call, { lockout }) => {
  const { body, audit } = call
  const user = body.payload.value
  audit({ parameters: { user } })
  rejectUserName(user, '/payload/value')
  return { value: true, changed: isDry(call) ? lockout.isCounted(user) : lockout.unlock(user) }
})

/** Users come as the user file keeps them, so that no password is sent. */
export const putUsers = serve(hostRoutes.putUsers, async ({ body, audit }, { accounts }) => {
  const updates = body.users.map((value, index) => readAt(value, `/users/${index}`))
  audit({ parameters: { users: updates.map(({ user, access }) => ({ user, access })) } })
  const changed = await accounts.change((file) => updates.reduce(putUser, file))
  audit({ changed })
  return { value: true, changed }
})

function readAt(value: unknown, path: string): UserUpdate {
  const record = parseUpdate(value, path)
  rejectNewUserName(record.user, `${path}/user`)
  return record
}

function parseUpdate(value: unknown, path: string): UserUpdate {
  try {
    return readUserUpdate(value)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ProblemError({
      code: 'invalid-body',
      detail: `Invalid body: ${message}.`,
      errors: [{ path, message }],
    })
  }
}
