import { makePassword } from '../../../certificates/password.ts'
import type { Credentials } from '../../../client/credentials.ts'
import type { HostConfig } from '../../../config/model.ts'
import type { Secret } from '../../../secrets/secret.ts'
import type { MadePassword } from '../../desired/administrators.ts'
import type { ClusterState } from '../../state/clusterState.ts'
import type { AskedHost, HostApi, HostWish, WantedUser } from './apiHost.ts'

/** Passwords that the file gives, by host and user. */
export type GivenPasswords = ReadonlyMap<string, ReadonlyMap<string, Secret>>

/**
 * What a host is to have, as far as passwords are known: the file's own, else the kept one. Passwords that
 * these replace are tried as logins, then `own`, which the operator gave.
 */
export function wishOf(options: {
  readonly host: HostConfig
  readonly apis: readonly HostApi[]
  readonly given: GivenPasswords
  readonly state: ClusterState
  readonly own: Credentials | undefined
  readonly prune: boolean
}): HostWish {
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
  readonly hosts: readonly { readonly wish: HostWish; readonly asked: AskedHost }[]
  readonly leavesOut: (user: string) => boolean
  readonly random: (size: number) => Buffer
}): { readonly wishes: readonly HostWish[]; readonly made: readonly MadePassword[] } {
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
