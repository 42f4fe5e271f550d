import { quote } from '../transport/shellWords.ts'

/** System user that the components of a host run as. */
export type ServiceAccount = {
  readonly user: string
  /** True where the login is root and this user is somebody else. */
  readonly isOther: boolean
}

/** Seconds after which a program that runs as the service user is killed: that user could stop it for ever (kill(2)). */
export const servicePatience = 120

/**
 * Beginning of an sh command that drops root's rights for those of the service user (setpriv(1), util-linux); empty
 * where there are none to drop.
 */
export const becomeService = ({ user, isOther }: ServiceAccount): string =>
  isOther
    ? `setpriv --reuid=${quote(user)} --regid=$(id -g ${quote(user)}) --clear-groups --no-new-privs -- `
    : ''

/**
 * Beginning of an sh command for every program that opens a file, a socket or a process of the service user: whatever
 * these were replaced with, root is not led there, and does not wait for ever.
 */
export const asService = (account: ServiceAccount): string =>
  account.isOther ? `timeout -k 5 ${servicePatience} ${becomeService(account)}` : ''

/** sh that sets `as` to the same, for functions that run a program as `$as PROGRAM`. */
export const setAsService = (account: ServiceAccount): string => `as="${asService(account)}"`
