import { listOf } from '../../../base/words.ts'
import type { ListedUser } from '../../../client/calls.ts'
import type { Credentials } from '../../../client/credentials.ts'
import type { AccessLevel } from '../../../contracts/accessLevels.ts'
import { StepError } from '../../stepError.ts'
import { type AskedHost, type DesiredUsers, isSameUser, levelOf, type UserWithPassword } from './apiHost.ts'

/** Change of one user of a host, by one call. `level` sets the level and leaves the password. */
export type UserChange =
  | {
      readonly kind: 'create' | 'reset' | 'level'
      readonly login: Credentials
      readonly access: AccessLevel
      /** True if a password and a level change together. */
      readonly both?: boolean
    }
  | { readonly kind: 'remove'; readonly user: string }

/** Changes of a host, in this order, and its users that the file does not name. */
export type UserChanges = { readonly changes: readonly UserChange[]; readonly extra: readonly string[] }

/** Returns the users in `present` that are not desired. */
export const extraUsers = (
  present: readonly ListedUser[],
  users: readonly UserWithPassword[],
): readonly string[] =>
  present.map(({ user }) => user).filter((name) => !users.some(({ user }) => isSameUser(user, name)))

/** Returns the missing changes of a host. A `StepError` if they need another password, or a user who may make them. */
export function planChanges(desired: DesiredUsers, asked: AskedHost): UserChanges | StepError {
  const { users, prune } = desired
  const extra = extraUsers(asked.present, users)
  const removed = prune ? extra : []
  const problem = passwordProblem(desired, asked, removed)
  if (problem !== undefined) return problem
  const puts = users.flatMap((user) => putOf(user, asked))
  // Who gets the level full comes first: somebody must have it before another one loses it.
  const ordered = [
    ...puts.filter(({ access }) => access === 'full'),
    ...puts.filter(({ access }) => access !== 'full'),
  ]
  const changes = [...ordered, ...removed.map((user): UserChange => ({ kind: 'remove', user }))]
  return (changes.length === 0 ? undefined : accessProblem(desired, asked, removed)) ?? { changes, extra }
}

/** Returns the change of one user, if there is one. */
function putOf(
  { user, password, access }: UserWithPassword,
  { present, upToDate }: AskedHost,
): readonly Extract<UserChange, { login: Credentials }>[] {
  if (password === undefined) return []
  const before = levelOf(present, user)
  const common = { login: { user, password }, access }
  if (before === undefined) return [{ kind: 'create', ...common }]
  if (!upToDate.some((name) => isSameUser(name, user))) {
    return [{ kind: 'reset', ...common, ...(before !== access && { both: true }) }]
  }
  return before === access ? [] : [{ kind: 'level', ...common }]
}

/** Returns the problem of changes that need a password which is unknown here. */
function passwordProblem(
  { host, users }: DesiredUsers,
  { present }: AskedHost,
  removed: readonly string[],
): StepError | undefined {
  const unknown = users.filter(({ password }) => password === undefined)
  const missing = unknown.filter(({ user }) => levelOf(present, user) === undefined)
  if (missing.length > 0) {
    const names = listOf(missing.map(({ user }) => user))
    return new StepError({
      host,
      code: 'password-needed',
      message: `the administrator ${names} exists on other hosts, but its password is unknown here`,
      fix: 'Set its password in the file: this host must get the same one as the others.',
    })
  }
  const [other] = unknown.filter(({ user, access }) => levelOf(present, user) !== access)
  if (other !== undefined) {
    return new StepError({
      host,
      code: 'password-needed',
      message: `${other.user} has the access level ${levelOf(present, other.user)} instead of ${other.access}, and an API changes it only with the password of the user, which is unknown here`,
      fix: 'Set its password in the file, or run `muster users apply` over SSH.',
    })
  }
  if (removed.length === 0 || unknown.length < users.length) return undefined
  return new StepError({
    host,
    code: 'no-login',
    message: `--prune would remove ${listOf(removed)}, but no password of a remaining user is known to verify that a login is still possible`,
    fix: 'Set the password of a user that the file names, or remove --prune.',
  })
}

/** Returns the problem of changes that no known login may make, or that leave nobody who may change users. */
function accessProblem(
  { host, users }: DesiredUsers,
  { present, login }: AskedHost,
  removed: readonly string[],
): StepError | undefined {
  if (login !== undefined && levelOf(present, login.user) !== 'full') {
    return new StepError({
      host,
      code: 'no-login',
      message: `its users must change, which needs the access level full; of the known logins only ${login.user} is accepted, with ${levelOf(present, login.user)}`,
      fix: 'Log in as a user with the level full: --login USER with --login-password-file FILE or --login-password-stdin.',
    })
  }
  const others = present.filter(({ user }) => !users.some((one) => isSameUser(one.user, user)))
  const kept = others.filter(({ user }) => !removed.includes(user))
  if ([...users, ...kept].some(({ access }) => access === 'full')) return undefined
  return new StepError({
    host,
    code: 'last-user',
    message: 'no user would keep the access level full there, and an API refuses to take the last one',
    fix: 'Give a user of the file the level full, or run `muster users apply` over SSH.',
  })
}

/** Describes a change for plans and reports. */
export function describeChange(change: UserChange): string {
  if (change.kind === 'remove') return `remove the user ${change.user}`
  const { kind, login, access, both } = change
  const level = `set the access level ${access} for ${login.user}`
  if (kind === 'level') return level
  if (kind === 'create')
    return `create the ${access === 'full' ? 'administrator' : `${access} user`} ${login.user}`
  return `reset the password of ${login.user}${both === true ? `, ${level}` : ''}`
}
