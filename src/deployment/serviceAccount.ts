import { quote } from '../base/shellWords.ts'

/** Maximum bytes of a user file: some five thousand users. */
export const maxUserFileBytes = 1024 * 1024

/**
 * Returns an sh command that prints a bounded part of a file of the service user, never of a link or a pipe (open(2):
 * O_NOFOLLOW, O_NONBLOCK). `as` is `asService` or a variable that holds it; `path` is a word of sh.
 */
export const readAs = (as: string, path: string, bytes: number): string =>
  `${as} dd if=${path} iflag=nofollow,nonblock,fullblock,count_bytes bs=65536 count=${bytes} status=none`

/**
 * Returns an sh command that prints the last lines of a file of the service user, with the rights of that user;
 * parameters as above. After a rotation it includes the end of `.1`.
 */
export const tailAs = (
  as: string,
  path: string,
  most: { readonly lines: number; readonly bytes: number },
): string =>
  `${as} sh -c 'for file in "$1.1" "$1"; do if [ -f "$file" ] && [ ! -L "$file" ]; then tail -c ${most.bytes} -- "$file"; fi; done' sh ${path} | tail -c ${most.bytes} | tail -n ${most.lines}`

export type ServiceAccount = {
  readonly user: string
  /** True if the login is root and this user is not. */
  readonly isOther: boolean
}

/** Seconds after which a program that runs as the service user is killed: that user could stop it forever (kill(2)). */
const serviceUserTimeout = 120

/**
 * Returns the setpriv(1) command (util-linux) that drops root's rights for those of a user and a group, which are
 * words of sh.
 */
export const setpriv = (user: string, group: string): string =>
  `setpriv --reuid=${user} --regid=${group} --clear-groups --no-new-privs --`

/** Returns the same command with a timeout. */
export const boundedSetpriv = (user: string, group: string): string =>
  `timeout -k 5 ${serviceUserTimeout} ${setpriv(user, group)}`

const groupOf = (user: string): string => `$(id -g ${quote(user)})`

/**
 * Returns the prefix of an sh command that runs with the rights of the service user, without a time limit; empty if
 * the login is not root.
 */
export const dropToServiceUser = ({ user, isOther }: ServiceAccount): string =>
  isOther ? `${setpriv(quote(user), groupOf(user))} ` : ''

/**
 * Returns the prefix for every sh command that opens a file, a socket or a process of the service user: whatever
 * these were replaced with, root does not open it and does not wait forever.
 */
export const asService = ({ user, isOther }: ServiceAccount): string =>
  isOther ? `${boundedSetpriv(quote(user), groupOf(user))} ` : ''

/** Returns sh that sets `as` to that prefix, for functions that run a program as `$as PROGRAM`. */
export const setAsService = (account: ServiceAccount): string => `as="${asService(account)}"`
