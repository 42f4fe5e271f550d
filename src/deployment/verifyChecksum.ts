import { quote } from '../base/shellWords.ts'

/**
 * Returns sh that ends a script with 1 unless a file holds the bytes that were sent. `file` is a path, `digest` their
 * SHA-256 in hexadecimal, `what` their name in messages.
 */
export const verifyChecksum = (file: string, digest: string, what: string): string =>
  `case $(sha256sum < ${quote(file)}) in ${digest}*) ;; *) echo ${quote(`the checksum of ${what} does not match`)} >&2; exit 1 ;; esac`
