import { makePassword } from '../../../certificates/password.ts'
import type { Credentials } from '../../../client/credentials.ts'
import type { Endpoint } from '../../../client/endpoint.ts'
import type { HostConfig } from '../../../config/model.ts'
import type { Component } from '../../../contracts/component.ts'
import type { Secret } from '../../../secrets/secret.ts'
import type { MadePassword } from '../../desired/administrators.ts'
import type { ClusterState } from '../../state/clusterState.ts'

/** One API of a host, as this machine calls it. */
export type HostApi = { readonly component: Component; readonly endpoint: Endpoint }

/** A user that the file names; without a password the host's user of that name is left as it is. */
export type WantedUser = { readonly user: string; readonly password?: Secret }

/** Whether two names are of one user: the APIs keep names in NFC. */
export const isSameUser = (one: string, other: string): boolean =>
  one.normalize('NFC') === other.normalize('NFC')

/** What one host is to have, and by which logins it may be asked. */
export type DesiredUsers = {
  readonly host: string
  readonly apis: readonly HostApi[]
  readonly users: readonly WantedUser[]
  /** Tried in this order where no wanted user is let in: replaced passwords, then the operator's own login. */
  readonly logins: readonly Credentials[]
  /** Whether users that the file does not name are taken off the host. */
  readonly prune: boolean
}

/** What the APIs of a host told before anything was changed there. */
export type AskedHost = {
  /** Names of the users that the host has. */
  readonly present: readonly string[]
  /** Those that are let in with the password that they are to have. */
  readonly fitting: readonly string[]
  /** A login that all APIs of the host took; absent while the host has no user. */
  readonly login?: Credentials
  /** Logins that the host took, of users who are to get another password or to go: the way back. */
  readonly before: readonly Credentials[]
}

/** Passwords that the file gives, by host and user. */
export type GivenPasswords = ReadonlyMap<string, ReadonlyMap<string, Secret>>

/**
 * What a host is to have, as far as passwords are known: the file's own, else the kept one. Passwords that
 * these replace are tried as logins, then `own`, which the operator gave.
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
  const users = host.users.map(({ user }): WantedUser => {
    const password = given.get(host.name)?.get(user) ?? state.users.get(user)?.password
    return password === undefined ? { user } : { user, password }
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
 * Makes a password for each wanted user of whom none is known and whom no host has, one for all hosts. Where hosts
 * were left out of the run, one of them may have the user: then none is made.
 */
export function withMadePasswords(options: {
  readonly hosts: readonly { readonly wish: DesiredUsers; readonly asked: AskedHost }[]
  readonly leavesOut: (user: string) => boolean
  readonly random: (size: number) => Buffer
}): { readonly wishes: readonly DesiredUsers[]; readonly made: readonly MadePassword[] } {
  const { hosts, leavesOut, random } = options
  const wanted = hosts.flatMap(({ wish }) => wish.users)
  const isPresent = (user: string): boolean =>
    hosts.some(({ asked }) => asked.present.includes(user.normalize('NFC')))
  const unknown = (user: string): boolean =>
    wanted.every((one) => one.user !== user || one.password === undefined) && !isPresent(user)
  const names = [...new Set(wanted.map(({ user }) => user))]
  const made = names
    .filter((user) => unknown(user) && !leavesOut(user))
    .map((user): MadePassword => ({ user, password: makePassword(random) }))
  const withMade = (one: WantedUser): WantedUser => made.find(({ user }) => user === one.user) ?? one
  return {
    made,
    wishes: hosts.map(({ wish }) => ({ ...wish, users: wish.users.map(withMade) })),
  }
}
