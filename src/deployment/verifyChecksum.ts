import { quote } from '../base/shellWords.ts'

/**
 * Returns a sh command that ends a script with 1 where a file does not hold the bytes that were sent. `file` is a path,
 * `digest` their SHA-256 in hexadecimal, `what` the words for them.
 */
export const verifyChecksum = (file: string, digest: string, what: string): string =>
  `case $(sha256sum < ${quote(file)}) in ${digest}*) ;; *) echo ${quote(`${what} arrived damaged`)} >&2; exit 1 ;; esac`
