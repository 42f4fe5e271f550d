import { quote } from '../base/shellWords.ts'

/** System user that the components of a host run as. */
export type ServiceAccount = {
  readonly user: string
  /** True where the login is root and this user is somebody else. */
  readonly isOther: boolean
}

/** Seconds after which a program that runs as the service user is killed: that user could stop it for ever (kill(2)). */
export const servicePatience = 120

/** Words of setpriv(1), util-linux, that drop root's rights for those of a user and a group, which are words of sh. */
const setpriv = (user: string, group: string): string =>
  `setpriv --reuid=${user} --regid=${group} --clear-groups --no-new-privs --`

/** Words that also kill the program after `servicePatience`. */
export const boundedSetpriv = (user: string, group: string): string =>
  `timeout -k 5 ${servicePatience} ${setpriv(user, group)}`

const groupOf = (user: string): string => `$(id -g ${quote(user)})`

/**
 * Beginning of an sh command that drops root's rights for those of the service user, for as long as it runs; empty where
 * there are none to drop.
 */
export const becomeService = ({ user, isOther }: ServiceAccount): string =>
  isOther ? `${setpriv(quote(user), groupOf(user))} ` : ''

/**
 * Beginning of an sh command for every program that opens a file, a socket or a process of the service user: whatever
 * these were replaced with, root is not led there, and does not wait for ever.
 */
export const asService = ({ user, isOther }: ServiceAccount): string =>
  isOther ? `${boundedSetpriv(quote(user), groupOf(user))} ` : ''

/** sh that sets `as` to the same, for functions that run a program as `$as PROGRAM`. */
export const setAsService = (account: ServiceAccount): string => `as="${asService(account)}"`
