import type { Duplex, Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientChannel } from 'ssh2'
import { lastLines } from '../../base/printable.ts'
import { redactSecrets } from '../../secrets/redactSecrets.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { SshPlace } from '../sshErrors.ts'
import { closeReasonGrace, type Session } from '../sshSession.ts'
import type { ListeningPlace, Transport } from '../transport.ts'
import { TransportError } from '../transportError.ts'
import { openFramedShell, remoteCommand } from './framedShell.ts'
import type { ShellStreams } from './responses.ts'
import { shellTransport } from './shellTransport.ts'

const maxOutputQuote = 8000

/** Explains a login that worked without a shell. `said` is the host's output. */
export function shellRefusal(facts: {
  readonly host: string
  readonly user: string
  readonly sudo: boolean
  /** A sudo password was given. `refused`: sudo asked for it twice. */
  readonly hasPassword?: boolean
  readonly wrongPassword?: boolean
  readonly output: string
  readonly why: string
  readonly timedOut: boolean
}): TransportError {
  const { host, user, sudo } = facts
  // Enough for the messages of sudo and login shells.
  const said = facts.output.slice(-maxOutputQuote)
  // sudo repeats the command that it refuses, which is ours and long.
  const output = lastLines(said.replace(/(sh -c) [\s\S]*(' as )/, '$1 …$2'))
  const why = lastLines(facts.why)
  // A greeting does not explain why the shell did not start.
  const words = output === '' ? why : facts.timedOut ? `${why}: ${output}` : output
  const error = (code: TransportError['code'], message: string, fix: string): TransportError =>
    new TransportError({ host, code, message, fix })
  if (!sudo) {
    const message = `${user} could log in to ${host}, but no sh started there: ${words}`
    return facts.timedOut
      ? error(
          'timeout',
          message,
          `Check what the login scripts of ${user} wait for on the host. Set a longer timeout under ssh for a slow host.`,
        )
      : error(
          'login-refused',
          message,
          `Give ${user} a login shell on the host (not nologin), or log in as another user.`,
        )
  }
  if (facts.wrongPassword === true || /sorry, try again|incorrect password attempt/i.test(said)) {
    return error(
      'sudo-refused',
      `sudo on ${host} refused the password of ${user}: ${words}`,
      'Correct become-password under ssh, or the input for --ask-become-pass. The password was tried only once, because wrong ones may lock the account.',
    )
  }
  if (/sorry, you must have a tty/i.test(said)) {
    return error(
      'sudo-refused',
      `sudo on ${host} requires a terminal (requiretty), which muster does not have: ${words}`,
      `Put "Defaults:${user} !requiretty" into a file below /etc/sudoers.d on the host (visudo -f).`,
    )
  }
  if (/not found|No such file/i.test(said)) {
    return error(
      'sudo-refused',
      `sudo was not found for ${user} on ${host}: ${words}`,
      'Install sudo on the host, or log in as root and remove become.',
    )
  }
  if (/password is required|authentication is required/i.test(said)) {
    return error(
      'sudo-refused',
      `sudo on ${host} requires a password for ${user}: ${words}`,
      `Set become-password under ssh (!env, !file or !exec), or use --ask-become-pass; or put "${user} ALL=(root) NOPASSWD: ALL" into a file below /etc/sudoers.d on the host (visudo -f).`,
    )
  }
  const message = `sudo on ${host} does not let ${user} become root: ${words}`
  if (facts.timedOut) {
    return error(
      'timeout',
      message,
      `Check what sudo waits for on the host, such as a second factor. Set a longer timeout under ssh for a slow host.`,
    )
  }
  return error(
    'sudo-refused',
    message,
    facts.hasPassword === true
      ? `Check that "sudo true" works as ${user} on the host with only the password.`
      : `Check that "sudo -n true" works as ${user} on the host.`,
  )
}

/** Bytes of a password that every sudo reads; the program it starts would read the rest. */
const sudoPasswordLimit = 255

/** Explains why sudo cannot read a password from one line of its standard input; undefined if it can. */
export function sudoPasswordProblem(password: Secret): string | undefined {
  const text = password.reveal()
  // sudo ends its line at either, and what follows would be read by what sudo starts.
  if (/[\n\r\0]/.test(text)) return 'has more than one line'
  if (Buffer.byteLength(text) > sudoPasswordLimit) return `is longer than ${sudoPasswordLimit} bytes`
  return text === '' ? 'is empty' : undefined
}

/**
 * Responds to sudo's prompt once. Without a prompt no password is sent, since the started program would read
 * it. A second prompt means that sudo refused the password: `onRefused`, once. Returns a function that stops
 * listening.
 */
export function enterSudoPassword(options: {
  readonly stderr: Readable
  readonly stdin: Writable
  /** Unique text: no other output contains it. */
  readonly prompt: string
  readonly password: Secret
  readonly onRefused: () => void
}): () => void {
  const { stderr, stdin, prompt, password, onRefused } = options
  let tail = ''
  let asked = 0
  const stop = (): void => {
    stderr.off('data', onData)
  }
  const onData = (chunk: Buffer): void => {
    tail += chunk.toString('latin1')
    for (let at = tail.indexOf(prompt); at !== -1; at = tail.indexOf(prompt)) {
      tail = tail.slice(at + prompt.length)
      asked += 1
      if (asked === 1) stdin.write(`${password.reveal()}\n`)
      if (asked === 2) {
        stop()
        onRefused()
        return
      }
    }
    tail = tail.slice(-prompt.length)
  }
  stderr.on('data', onData)
  return stop
}

/** Way to become root: none, or sudo with a password if it asks for one. */
export type Become = false | { readonly password?: Secret }

/** Connection on which a shell can be started. */
export type ShellHost = Pick<Session, 'ended' | 'end' | 'destroy'> & {
  /** Starts a command; resolves with the error if that fails. */
  start(command: string): Promise<Omit<ShellStreams, 'destroy'> | Error>
  /** As `Transport.dial`. */
  dial(place: ListeningPlace): Promise<Duplex | Error>
  /** Explains why there was no login; undefined if there was one. Absent: the login was before. */
  loginError?(facts: {
    readonly said: string
    readonly timedOut: boolean
  }): Promise<TransportError | undefined>
}

/** Starts shells in channels of a session. */
export const channelsOf = (session: Session): ShellHost => ({
  ended: session.ended,
  end: () => session.end(),
  destroy: () => session.destroy(),
  dial: (to) => ('socket' in to ? session.forwardSocket(to.socket) : session.forward(to.address, to.port)),
  start: async (command) => {
    const channel = await session.exec(command)
    if (channel instanceof Error) return channel
    return { stdin: channel, stdout: channel, stderr: channel.stderr, ended: shellEnd(channel) }
  },
})

/** Resolves when the shell has ended; waits for the connection's own reason first, which is more exact. */
const shellEnd = (channel: ClientChannel): Promise<string> =>
  new Promise((resolve) => {
    let hasExited = false
    channel.on('exit', () => {
      hasExited = true
    })
    channel.on('close', () => {
      const wait = hasExited ? 0 : closeReasonGrace
      resolve(pause(wait, 'the shell there ended', { ref: false }))
    })
  })

/** Starts the framed shell on a connection; rejects with `TransportError` and ends the connection. */
export async function startShell(options: {
  readonly place: SshPlace
  readonly on: ShellHost
  readonly become: Become
  /** Milliseconds. */
  readonly left: number
  readonly random: (bytes: number) => Buffer
}): Promise<Transport> {
  const { place, on, become, left, random } = options
  const { host, user, timeout } = place
  const nonce = random(16).toString('hex')
  const password = become === false ? undefined : become.password
  const prompt = password === undefined ? undefined : random(16).toString('hex')
  let wrongPassword = false
  const refuse = async (facts: { said: string; why: string; timedOut: boolean }): Promise<TransportError> => {
    const words = prompt === undefined ? facts.said : facts.said.replaceAll(prompt, '')
    const said = redactSecrets(words, password === undefined ? [] : [password.reveal()]).trim()
    const noLogin = await on.loginError?.({ said, timedOut: facts.timedOut })
    on.destroy()
    if (noLogin !== undefined) return noLogin
    return shellRefusal({
      ...facts,
      host,
      user,
      sudo: become !== false,
      hasPassword: password !== undefined,
      wrongPassword,
      output: said,
    })
  }
  const opened = await on.start(remoteCommand({ nonce, sudo: become !== false, prompt }))
  if (opened instanceof Error) throw await refuse({ said: '', why: opened.message, timedOut: false })
  const streams: ShellStreams = {
    ...opened,
    // The connection's own reason says more.
    ended: Promise.race([on.ended, opened.ended]),
    destroy: () => on.destroy(),
  }
  const onRefused = (): void => {
    wrongPassword = true
    // Not asked again: each wrong answer counts, and accounts are locked for it.
    on.destroy()
  }
  const { stdin, stderr } = streams
  const stop =
    password === undefined || prompt === undefined
      ? undefined
      : enterSudoPassword({ stderr, stdin, prompt, password, onRefused })
  const shell = await openFramedShell({ host, streams, nonce, timeout, left, random })
  stop?.()
  if (!shell.ready) throw await refuse(shell)
  streams.ended.then(() => on.end())
  return shellTransport({ host, streams, shell: shell.shell, random, dial: (to) => on.dial(to) })
}
