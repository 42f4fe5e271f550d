import { quote } from '../transport/shellWords.ts'

/** System user that the components of a host run as. */
export type ServiceAccount = {
  readonly user: string
  /** True where the login is root and this user is somebody else. */
  readonly isOther: boolean
}

/**
 * Beginning of an sh command that drops root's rights for those of the service user (setpriv(1), util-linux); empty
 * where there are none to drop. For every program that opens a file, a socket or a process of that user: whatever these
 * were replaced with, root is not led there.
 */
export const asService = ({ user, isOther }: ServiceAccount): string =>
  isOther
    ? `setpriv --reuid=${quote(user)} --regid=$(id -g ${quote(user)}) --clear-groups --no-new-privs -- `
    : ''

/** sh that sets `as` to the same, for functions that run a program as `$as PROGRAM`. */
export const setAsService = (account: ServiceAccount): string => `as="${asService(account)}"`
