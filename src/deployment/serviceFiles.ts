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
