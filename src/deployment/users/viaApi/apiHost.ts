import { generatePassword } from '../../../certificates/password.ts'
import type { ListedUser } from '../../../client/calls.ts'
import type { Credentials } from '../../../client/credentials.ts'
import type { Endpoint } from '../../../client/endpoint.ts'
import type { HostConfig } from '../../../config/model.ts'
import type { AccessLevel } from '../../../contracts/accessLevels.ts'
import type { Component } from '../../../contracts/component.ts'
import type { Secret } from '../../../secrets/secret.ts'
import type { GeneratedPassword } from '../../desired/administrators.ts'
import type { ClusterState } from '../../state/clusterState.ts'

/** API of a host, as this machine calls it. */
export type HostApi = { readonly component: Component; readonly endpoint: Endpoint }

/** User in the file; without a password the host's user is not changed. */
export type UserWithPassword = {
  readonly user: string
  readonly access: AccessLevel
  readonly password?: Secret
}

/** Returns true if two names are of one user: the APIs keep names in NFC. */
export const isSameUser = (one: string, other: string): boolean =>
  one.normalize('NFC') === other.normalize('NFC')

/** Returns the level of a user among those of a host; undefined if there is none of that name. */
export const levelOf = (present: readonly ListedUser[], user: string): AccessLevel | undefined =>
  present.find((one) => isSameUser(one.user, user))?.access

/** Desired users of one host, and the logins for its APIs. */
export type DesiredUsers = {
  readonly host: string
  readonly apis: readonly HostApi[]
  readonly users: readonly UserWithPassword[]
  /** Tried in this order if no desired user can log in: replaced passwords, then the operator's own login. */
  readonly logins: readonly Credentials[]
  /** True if users that the file does not name are removed. */
  readonly prune: boolean
}

/** Answers of a host's APIs before any change. */
export type AskedHost = {
  readonly present: readonly ListedUser[]
  /** Users who can log in with their desired password. */
  readonly upToDate: readonly string[]
  /** Login that all APIs of the host accepted, of the level `full` if one is known; absent while the host has no user. */
  readonly login?: Credentials
  /** Accepted logins of users whose password changes or who are removed: needed to restore them. */
  readonly previousLogins: readonly Credentials[]
}

/** Passwords in the file, by host and user. */
export type GivenPasswords = ReadonlyMap<string, ReadonlyMap<string, Secret>>

/**
 * Returns the desired users of a host with the known passwords: from the file, otherwise from the state. Passwords
 * that these replace are tried as logins, then `own`, which the operator gave.
 */
export function desiredUsersOf(options: {
  readonly host: HostConfig
  readonly apis: readonly HostApi[]
  readonly given: GivenPasswords
  readonly state: ClusterState
  readonly own: Credentials | undefined
  readonly prune: boolean
}): DesiredUsers {
  const { host, apis, given, state, own, prune } = options
  const users = host.users.map(({ user, access }): UserWithPassword => {
    const password = given.get(host.name)?.get(user) ?? state.users.get(user)?.password
    return { user, access, ...(password && { password }) }
  })
  const replaced = users.flatMap(({ user, password }): Credentials[] => {
    const known = state.users.get(user)
    return [known?.password, ...(known?.pending ?? [])].flatMap((one) =>
      one === undefined || password?.equals(one) === true ? [] : [{ user, password: one }],
    )
  })
  return { host: host.name, apis, users, logins: [...replaced, ...(own === undefined ? [] : [own])], prune }
}

/**
 * Generates a password for each desired user without a known one whom no host has, the same for all hosts. If hosts
 * were excluded from the run, one of them may have the user: then none is generated.
 */
export function withGeneratedPasswords(options: {
  readonly hosts: readonly { readonly desired: DesiredUsers; readonly asked: AskedHost }[]
  readonly isOnExcludedHost: (user: string) => boolean
  readonly random: (size: number) => Buffer
}): { readonly desiredUsers: readonly DesiredUsers[]; readonly generated: readonly GeneratedPassword[] } {
  const { hosts, isOnExcludedHost, random } = options
  const wanted = hosts.flatMap(({ desired }) => desired.users)
  const isPresent = (user: string): boolean =>
    hosts.some(({ asked }) => levelOf(asked.present, user) !== undefined)
  const unknown = (user: string): boolean =>
    wanted.every((one) => one.user !== user || one.password === undefined) && !isPresent(user)
  const names = [...new Set(wanted.map(({ user }) => user))]
  const generated = names
    .filter((user) => unknown(user) && !isOnExcludedHost(user))
    .map((user): GeneratedPassword => ({ user, password: generatePassword(random) }))
  const withPassword = (one: UserWithPassword): UserWithPassword => ({
    ...one,
    ...generated.find(({ user }) => user === one.user),
  })
  return {
    generated,
    desiredUsers: hosts.map(({ desired }) => ({ ...desired, users: desired.users.map(withPassword) })),
  }
}
