import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { Secret } from '../secrets/secret.ts'
import type { Chain, FramedShell } from './framedShell.ts'
import { quote } from './shellWords.ts'
import type { Upload } from './transport.ts'
import { TransportError } from './transportError.ts'

/** Bytes a second below which an upload counts as stuck. */
const slowest = 128 * 1024

/** As `Transport.upload`, in one round trip. */
export async function upload(options: {
  readonly host: string
  readonly shell: Pick<FramedShell, 'run'>
  readonly chain?: Chain | undefined
  readonly file: Upload
  readonly random: (bytes: number) => Buffer
}): Promise<void> {
  const { host, shell, file } = options
  const content = file.content instanceof Secret ? Buffer.from(file.content.reveal()) : file.content
  const script = uploadScript({
    file,
    digest: createHash('sha256').update(content).digest('hex'),
    suffix: options.random(8).toString('hex'),
  })
  const timeout = 60_000 + Math.ceil((content.length / slowest) * 1000)
  const result = await shell.run(script, { stdin: content, timeout }, options.chain)
  if (result.code === 0) return
  const said = result.stderr.trim().split('\n').at(-1) ?? ''
  const words = said === '' ? `the host gave no reason (exit code ${result.code})` : said
  throw new TransportError({
    host,
    code: 'write-failed',
    message: `${file.path} on ${host} could not be written: ${words}`,
    fix: fixFor(said, file.path),
  })
}

/**
 * Writes standard input beside the file, checks it, gives it owner and mode, waits for the disk and
 * renames. `>` under `set -C` is O_EXCL: nobody's symbolic link is followed.
 */
export function uploadScript(options: {
  readonly file: Upload
  readonly digest: string
  readonly suffix: string
}): string {
  const { path, owner, mode } = options.file
  const temporary = posix.join(posix.dirname(path), `.${posix.basename(path)}.muster-${options.suffix}`)
  return [
    `t=${quote(path)}`,
    `f=${quote(temporary)}`,
    `if [ -d "$t" ]; then echo "$t: Is a directory" >&2; exit 1; fi`,
    `trap 'rm -f "$f"' EXIT`,
    // Words to a lost connection must not end the shell before it has tidied up.
    `trap '' PIPE`,
    `trap 'exit 1' HUP INT TERM`,
    'set -C',
    'cat >"$f" || exit 1',
    'set +C',
    `case $(sha256sum <"$f") in ${options.digest}*) ;; *) echo "$t: the content arrived damaged" >&2; exit 1 ;; esac`,
    ...(owner === undefined ? [] : [`chown ${quote(owner)} "$f" || exit 1`]),
    `chmod ${mode.toString(8).padStart(4, '0')} "$f" || exit 1`,
    'dd if=/dev/null of="$f" conv=notrunc,fsync status=none || exit 1',
    'mv -f "$f" "$t" || exit 1',
  ].join('\n')
}

const fixes: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [
    /No space left|quota exceeded/i,
    (folder) => `Free space there: df -h ${folder} on the host shows how much is left.`,
  ],
  [
    /Read-only file system/i,
    (folder) =>
      `The file system of ${folder} is mounted read-only; remount it, or choose another install-directory.`,
  ],
  [
    /Permission denied|not permitted/i,
    (folder) => `Log in as a user who may write in ${folder}, or set become: true under ssh.`,
  ],
  [/No such file|nonexistent/i, (folder) => `Create the folder ${folder} on the host first.`],
  [/Is a directory/, () => 'A folder has the name of the file; move it away.'],
  [/invalid (user|group)/i, () => 'Create that user and group on the host first.'],
  [
    /arrived damaged/,
    () => 'Run the command again; if it stays so, look at the disk and the memory of the host.',
  ],
  [/not found/, () => 'Install GNU coreutils on the host.'],
]

function fixFor(said: string, path: string): string {
  const known = fixes.find(([pattern]) => pattern.test(said))
  return (
    known?.[1](posix.dirname(path)) ??
    `Look at ${posix.dirname(path)} on the host, then run the command again.`
  )
}
