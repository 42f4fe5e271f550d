import type { Credentials } from '../../../client/credentials.ts'
import type { Endpoint } from '../../../client/endpoint.ts'
import type { Component } from '../../../contracts/component.ts'
import type { Secret } from '../../../secrets/secret.ts'

/** One API of a host, as this machine calls it. */
export type HostApi = { readonly component: Component; readonly endpoint: Endpoint }

/** A user that the file names; without a password the host's user of that name is left as it is. */
export type WantedUser = { readonly user: string; readonly password?: Secret }

/** Whether two names are of one user: the APIs keep names in NFC. */
export const isSameUser = (one: string, other: string): boolean =>
  one.normalize('NFC') === other.normalize('NFC')

/** What one host is to have, and by which logins it may be asked. */
export type HostWish = {
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
