import { posix } from 'node:path'
import { sha256 } from '../../base/sha256.ts'
import { quote } from '../../base/shellWords.ts'
import { Secret } from '../../secrets/secret.ts'
import { ownersAndModes } from '../ownersAndModes.ts'
import type { Transport, Upload } from '../transport.ts'
import { TransportError } from '../transportError.ts'
import type { Chain, FramedShell } from './framedShell.ts'
import type { ShellStreams } from './responses.ts'

/** Bytes per second below which an upload counts as stuck. */
const minimumRate = 128 * 1024

/** As `Transport.upload`, in one round trip. */
async function upload(options: {
  readonly host: string
  readonly shell: Pick<FramedShell, 'run'>
  readonly chain?: Chain | undefined
  readonly files: readonly Upload[]
  readonly random: (bytes: number) => Buffer
}): Promise<void> {
  const { host, shell, files } = options
  const [first] = files
  if (first === undefined) return
  const contents = files.map(({ content }) =>
    content instanceof Secret ? Buffer.from(content.reveal()) : content,
  )
  const whole = Buffer.concat(contents)
  const script = uploadScript({
    files: files.map((file, index) => ({ ...file, bytes: contents[index]?.length ?? 0 })),
    digest: sha256(whole),
    suffix: options.random(8).toString('hex'),
  })
  const timeout = 60_000 + Math.ceil((whole.length / minimumRate) * 1000)
  const result = await shell.run(script, { stdin: whole, timeout }, options.chain)
  if (result.code === 0) return
  const said = String(result.stderr)
  const words = said === '' ? `the host gave no reason (exit code ${result.code})` : said
  const path = String(result.stdout) || first.path
  throw new TransportError({
    host,
    code: 'write-failed',
    message: `${path} on ${host} could not be written: ${words}`,
    fix: fixFor(said, path),
  })
}

type Sized = Pick<Upload, 'path' | 'mode' | 'owner'> & { readonly bytes: number }

/**
 * Writes each file from standard input next to its target, verifies checksums, sets owner and mode, syncs and
 * renames; a broken connection does not interrupt the renames. `>` under `set -C` is O_EXCL: it follows no
 * symbolic link. Each program costs a host about 2 ms, so one handles all files if possible. Prints the file
 * of a failure. After a power loss between two renames, the other files stay next to their targets:
 * `stagedFor` finds them, and the next upload of the same files removes them.
 */
function uploadScript(options: {
  readonly files: readonly Sized[]
  readonly digest: string
  readonly suffix: string
}): string {
  const { files, digest, suffix } = options
  const moves = files.map(({ path, bytes }) => ({
    bytes,
    to: quote(path),
    from: quote(temporaryPath(path, suffix)),
    older: `${quote(temporaryPath(path, ''))}*`,
  }))
  const all = moves.map(({ from }) => from)
  const mismatch = files.length === 1 ? '$t: checksum mismatch' : 'checksum mismatch of these files'
  return [
    `set -- ${all.join(' ')}`,
    `trap 'rm -f "$@"' EXIT`,
    // An error of writing to a broken connection must not end the shell before it has cleaned up.
    `trap '' PIPE`,
    `trap 'exit 1' HUP INT TERM`,
    `no() { printf "%s" "$t"; exit 1; }`,
    'set -C',
    ...moves.flatMap(({ to, from, bytes }) => [
      `t=${to}`,
      `if [ -d "$t" ]; then echo "$t: Is a directory" >&2; no; fi`,
      `dd bs=65536 count=${bytes} iflag=fullblock,count_bytes status=none >${from} || no`,
    ]),
    'set +C',
    `t=${moves[0]?.to ?? ''}`,
    `case $(cat "$@" | sha256sum) in ${digest}*) ;; *) echo "${mismatch}" >&2; no ;; esac`,
    ...ownersAndModes(
      files.map(({ path, mode, owner }) => ({ path: temporaryPath(path, suffix), mode, owner })),
    ).map((command) => `${command} || no`),
    'sync "$@" || no',
    `trap '' HUP INT TERM`,
    ...moves.map(({ to, from }) => `t=${to}; mv -f ${from} "$t" || no`),
    // They go at the end.
    `set -- ${moves.map(({ older }) => older).join(' ')}`,
  ].join('\n')
}

const temporaryPath = (path: string, suffix: string): string =>
  posix.join(posix.dirname(path), `.${posix.basename(path)}.muster-${suffix}`)

const fixes: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [
    /No space left|quota exceeded/i,
    (folder) => `Free space there: df -h ${folder} on the host shows how much is left.`,
  ],
  [
    /Read-only file system/i,
    (folder) => `Remount the file system of ${folder} read-write, or choose another install-directory.`,
  ],
  [
    /Permission denied|not permitted/i,
    (folder) => `Log in as a user who can write to ${folder}, or set become: true under ssh.`,
  ],
  [/No such file|nonexistent/i, (folder) => `Create the folder ${folder} on the host first.`],
  [/Is a directory/, () => 'Move or rename the folder that has the name of this file.'],
  [/invalid (user|group)/i, () => 'Create that user and group on the host first.'],
  [
    /checksum mismatch/,
    () => 'Run the command again. If it fails again, check the disk and the memory of the host.',
  ],
  [/not found/, () => 'Install GNU coreutils on the host.'],
]

function fixFor(said: string, path: string): string {
  const known = fixes.find(([pattern]) => pattern.test(said))
  return (
    known?.[1](posix.dirname(path)) ?? `Check ${posix.dirname(path)} on the host, then run the command again.`
  )
}

/** Milliseconds for a shell to end after its input ends. */
const closeGrace = 1000

/** Builds the transport on a ready shell. `close` may be called twice and at any time. */
export function shellTransport(options: {
  readonly host: string
  readonly streams: ShellStreams
  readonly shell: FramedShell
  readonly random: (bytes: number) => Buffer
  readonly dial?: Transport['dial']
}): Transport {
  const { host, streams, shell, random, dial } = options
  const through = (chain: Chain | undefined): Transport => ({
    host,
    run: (script, runOptions) => shell.run(script, runOptions, chain),
    upload: (...files) => upload({ host, shell, chain, files, random }),
    follow: (script, followOptions) => shell.follow(script, followOptions),
    chain: () => through(chain ?? shell.chain()),
    ...(dial === undefined ? {} : { dial }),
    close: async () => {
      streams.stdin.end()
      const timer = setTimeout(streams.destroy, closeGrace)
      await streams.ended
      clearTimeout(timer)
    },
  })
  return through(undefined)
}
