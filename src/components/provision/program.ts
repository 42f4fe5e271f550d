import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { StartError } from '../../api/startError.ts'
import { errorCode } from '../../base/systemErrors.ts'
import type { DatabaseType } from '../../contracts/choices.ts'

/** A program with its arguments. */
export type Program = readonly [string, ...string[]]

/** Returns the program as somebody with fewer rights runs it: what they changed is not opened by root. */
export const asOwner = (
  { uid, gid }: { readonly uid: number; readonly gid: number },
  program: Program,
): Program => [
  ...(['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', '--'] as const),
  ...program,
]

/** Folders of the programs of database servers; `libexec` on distributions of Red Hat. */
const folders = ['/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/libexec']

/** Characters that are kept of what a program says of its failure, from its end. */
const mostWords = 1000

/** Starts a program; `ended` rejects with a `StartError` where it fails, with its last words. */
export async function startProgram(
  [command, ...args]: Program,
  { input, output, signal }: { input: 'ignore' | 'pipe'; output: 'ignore' | 'pipe'; signal?: AbortSignal },
): Promise<{ readonly child: ChildProcess; readonly ended: Promise<void> }> {
  const child = spawn(command, args, {
    stdio: [input, output, 'pipe'],
    env: { PATH: folders.join(':'), LC_ALL: 'C', HOME: process.env.HOME ?? '/' },
    // A backup that waits for a lock of the server does not end by SIGTERM.
    ...(signal && { signal, killSignal: 'SIGKILL' }),
  })
  let words = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    words = `${words}${chunk}`.slice(-mostWords)
  })
  await once(child, 'spawn').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') throw new StartError(`the program ${command} is not installed here`)
    throw error
  })
  const ended = once(child, 'close').then(([code, by]: readonly unknown[]) => {
    if (code === 0) return
    const last = words.trimEnd().split('\n').slice(-3).join('\n')
    throw new StartError(`${command} ended with ${code === null ? by : `exit code ${code}`}: ${last}`)
  })
  // It may end before anybody waits for it.
  ended.catch(() => undefined)
  return { child, ended }
}

/** Runs a program to its end and returns what it prints. Rejects with a `StartError`. */
export async function runProgram(
  program: Program,
  { input, signal }: { readonly input?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  const { child, ended } = await startProgram(program, {
    ...{ input: input === undefined ? 'ignore' : 'pipe', output: 'pipe' },
    ...(signal && { signal }),
  })
  if (!child.stdout) throw new Error('the program has no output')
  // It may end without reading.
  child.stdin?.on('error', () => undefined).end(input)
  const [printed] = await Promise.all([text(child.stdout), ended])
  return printed
}

/** Runs systemctl. Rejects with a `StartError`. */
export const systemctl = (...words: readonly string[]): Promise<string> => runProgram(['systemctl', ...words])

/** A server of this host, by its socket, and the program that asks it. */
export type Server = { readonly socket: string; readonly engine: { readonly client: DatabaseType } }

/**
 * Returns the program that runs statements over the socket of the server, by the rights of root, and prints what they return.
 * They are its input: arguments are there for everybody to read.
 */
export const clientFor = ({ socket, engine }: Server, more: readonly string[] = []): Program => [
  ...([engine.client, '--protocol=socket', `--socket=${socket}`] as const),
  ...['--batch', '--skip-column-names', ...more],
]

/** Runs statements by that program; resolves to what it prints. */
export const askServer = (
  server: Server,
  statements: string,
  { more, signal }: { readonly more?: readonly string[]; readonly signal?: AbortSignal } = {},
): Promise<string> => runProgram(clientFor(server, more), { input: statements, ...(signal && { signal }) })
