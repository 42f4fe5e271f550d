import { listOf } from '../../../base/words.ts'
import type { Credentials } from '../../../client/credentials.ts'
import { StepError } from '../../stepError.ts'
import { type AskedHost, type DesiredUsers, isSameUser, type UserWithPassword } from './apiHost.ts'

/** Change of one user of a host, by one call. */
export type UserChange =
  | { readonly kind: 'create' | 'reset'; readonly login: Credentials }
  | { readonly kind: 'remove'; readonly user: string }

/** Changes of a host, in this order, and its users that the file does not name. */
export type UserChanges = { readonly changes: readonly UserChange[]; readonly extra: readonly string[] }

/** Returns the users in `present` that are not desired. */
export const extraUsers = (
  present: readonly string[],
  users: readonly UserWithPassword[],
): readonly string[] => present.filter((name) => !users.some(({ user }) => isSameUser(user, name)))

/** Returns the missing changes of a host. A `StepError` if they need another password. */
export function planChanges(desired: DesiredUsers, asked: AskedHost): UserChanges | StepError {
  const { host, users, prune } = desired
  const has = (user: string): boolean => asked.present.some((name) => isSameUser(name, user))
  const unknown = users.filter(({ user, password }) => password === undefined && !has(user))
  if (unknown.length > 0) {
    const names = listOf(unknown.map(({ user }) => user))
    return new StepError({
      host,
      code: 'password-needed',
      message: `the administrator ${names} exists on other hosts, but its password is unknown here`,
      fix: 'Set its password in the file: this host must get the same one as the others.',
    })
  }
  const puts = users.flatMap(({ user, password }): UserChange[] => {
    if (password === undefined || asked.upToDate.some((name) => isSameUser(name, user))) return []
    return [{ kind: has(user) ? 'reset' : 'create', login: { user, password } }]
  })
  const extra = extraUsers(asked.present, users)
  if (!prune || extra.length === 0) return { changes: puts, extra }
  if (users.every(({ password }) => password === undefined)) {
    return new StepError({
      host,
      code: 'no-login',
      message: `--prune would remove ${listOf(extra)}, but no password of a remaining user is known to verify that a login is still possible`,
      fix: 'Set the password of a user that the file names, or remove --prune.',
    })
  }
  return { changes: [...puts, ...extra.map((user): UserChange => ({ kind: 'remove', user }))], extra }
}

/** Describes a change for plans and reports. */
export function describeChange(change: UserChange): string {
  if (change.kind === 'remove') return `remove the user ${change.user}`
  const { user } = change.login
  return change.kind === 'create' ? `create the administrator ${user}` : `reset the password of ${user}`
}
