/**
 * The loop that a host's sh runs for the whole connection. It says `nonce` on both streams when it is
 * ready, so that whatever a login printed before is known for what it is. Then it reads frames:
 *
 *     ID SCRIPT-BYTES DATA-BYTES CHAIN\n SCRIPT DATA
 *
 * runs SCRIPT in a subshell with DATA on standard input, and ends both streams of the answer with a line
 * of ID, on standard output followed by the exit code. Frames may come before earlier ones are answered; those
 * of a CHAIN in which one has failed are `skipped`. A script cut short by a lost connection lacks its
 * last line `#ID` and never runs. The loop ends when its input ends.
 *
 * dd, unlike head, never reads further than it was told, on every kind of host (GNU, uutils, BusyBox).
 * Neither single quotes nor `!` occur, so that any login shell hands it on unread.
 */
const loop = (nonce: string): string =>
  [
    'PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin',
    'LC_ALL=C',
    'export PATH LC_ALL',
    'umask 077',
    // To start a program costs a host about 2 ms.
    't() { [ "$1" = 0 ] || dd bs=65536 count="$1" iflag=fullblock,count_bytes 2>/dev/null; }',
    `printf "\\n%s\\n" ${nonce}`,
    `printf "\\n%s\\n" ${nonce} >&2`,
    'a() { printf "\\n%s %s\\n" "$i" "$1"; printf "\\n%s\\n" "$i" >&2; }',
    'f=; while IFS=" " read -r i n d c; do s=$(t "$n")',
    'case $s in *"#$i") ;; *) exit 1 ;; esac',
    'case $c in "$f") t "$d" >/dev/null; a skipped; continue ;; esac',
    't "$d" | { ( eval "$s" ); r=$?; [ "$d" = 0 ] || cat >/dev/null; a "$r"; [ "$r" = 0 ]; }',
    // Not behind ||, which would take set -e from the script.
    'case $? in 0) ;; *) f=$c ;; esac',
    'done',
  ].join('; ')

/** The arguments of sh that start the loop; `nonce` is hexadecimal. */
export const loopArguments = (nonce: string): readonly ['-c', string] => ['-c', loop(nonce)]

/**
 * The one line that starts the loop from whatever login shell a user has. With `prompt`, which is hexadecimal,
 * sudo asks with it on standard error for a password on standard input, where it wants one.
 */
export function remoteCommand(options: {
  readonly nonce: string
  readonly sudo: boolean
  readonly prompt?: string | undefined
}): string {
  const { nonce, sudo, prompt } = options
  const how = prompt === undefined ? '-n' : `-S -p ${prompt}`
  // What sudo says is understood here in English.
  return `exec ${sudo ? `env LC_ALL=C sudo ${how} ` : ''}sh -c '${loop(nonce)}'`
}

/** The start of a frame; `dataLength` bytes of data follow it. One without a chain is a chain of its own. */
export function frameHead(options: {
  readonly id: string
  readonly script: string
  readonly dataLength: number
  readonly chain?: string | undefined
}): Buffer {
  const { id, dataLength, chain = id } = options
  const script = Buffer.from(`${options.script}\n#${id}`)
  return Buffer.concat([Buffer.from(`${id} ${script.length} ${dataLength} ${chain}\n`), script])
}
