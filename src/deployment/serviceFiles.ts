/** Bytes of a user file that are read: some five thousand users. */
export const mostUserBytes = 1024 * 1024

/**
 * sh command that prints a file of the service user: so many bytes at most, of a file that is no link and no pipe
 * (open(2): O_NOFOLLOW, O_NONBLOCK). `as` is `asService` or a variable that holds it; `path` is a word of sh.
 */
export const readAs = (as: string, path: string, bytes: number): string =>
  `${as} dd if=${path} iflag=nofollow,nonblock,fullblock,count_bytes bs=65536 count=${bytes} status=none`

/** sh command that prints the last lines of a file of the service user, with the rights of that user alone; as above. */
export const tailAs = (
  as: string,
  path: string,
  most: { readonly lines: number; readonly bytes: number },
): string =>
  `${as} sh -c 'if [ -f "$1" ] && [ ! -L "$1" ]; then exec tail -c ${most.bytes} -- "$1"; fi' sh ${path} | tail -n ${most.lines}`
