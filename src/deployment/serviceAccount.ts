import { quote } from '../base/shellWords.ts'

/** Bytes of a user file that are read: some five thousand users. */
export const mostUserBytes = 1024 * 1024

/**
 * sh command that prints a file of the service user: so many bytes at most, of a file that is no link and no pipe
 * (open(2): O_NOFOLLOW, O_NONBLOCK). `as` is `asService` or a variable that holds it; `path` is a word of sh.
 */
export const readAs = (as: string, path: string, bytes: number): string =>
  `${as} dd if=${path} iflag=nofollow,nonblock,fullblock,count_bytes bs=65536 count=${bytes} status=none`

/**
 * sh command that prints the last lines of a file of the service user, with the rights of that user alone; as above.
 * A file that was just begun anew goes on where `.1` beside it ends.
 */
export const tailAs = (
  as: string,
  path: string,
  most: { readonly lines: number; readonly bytes: number },
): string =>
  `${as} sh -c 'for file in "$1.1" "$1"; do if [ -f "$file" ] && [ ! -L "$file" ]; then tail -c ${most.bytes} -- "$file"; fi; done' sh ${path} | tail -c ${most.bytes} | tail -n ${most.lines}`

/** System user that the components of a host run as. */
export type ServiceAccount = {
  readonly user: string
  /** True where the login is root and this user is somebody else. */
  readonly isOther: boolean
}

/** Seconds after which a program that runs as the service user is killed: that user could stop it for ever (kill(2)). */
const servicePatience = 120

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
export const dropToServiceUser = ({ user, isOther }: ServiceAccount): string =>
  isOther ? `${setpriv(quote(user), groupOf(user))} ` : ''

/**
 * Beginning of an sh command for every program that opens a file, a socket or a process of the service user: whatever
 * these were replaced with, root is not led there, and does not wait for ever.
 */
export const asService = ({ user, isOther }: ServiceAccount): string =>
  isOther ? `${boundedSetpriv(quote(user), groupOf(user))} ` : ''

/** sh that sets `as` to the same, for functions that run a program as `$as PROGRAM`. */
export const setAsService = (account: ServiceAccount): string => `as="${asService(account)}"`
