import { setTimeout as pause } from 'node:timers/promises'
import type { ClientChannel } from 'ssh2'
import type { Secret } from '../secrets/secret.ts'
import { withoutSecrets } from '../secrets/withoutSecrets.ts'
import type { ShellStreams } from './exchange.ts'
import { openFramedShell } from './framedShell.ts'
import { remoteCommand } from './shellLoop.ts'
import { shellRefusal } from './shellRefusal.ts'
import { shellTransport } from './shellTransport.ts'
import type { SshPlace } from './sshErrors.ts'
import { lastWords, type Session } from './sshSession.ts'
import { answerSudo } from './sudoPassword.ts'
import type { ListeningPlace, Transport } from './transport.ts'
import type { TransportError } from './transportError.ts'

/** How a login becomes root: not at all, or by sudo, which is given the password where it asks for one. */
export type Become = false | { readonly password?: Secret }

/** Resolves when the shell is gone: at once where it ended by itself, otherwise later than its connection should. */
const shellEnd = (channel: ClientChannel): Promise<string> =>
  new Promise((resolve) => {
    let hasExited = false
    channel.on('exit', () => {
      hasExited = true
    })
    channel.on('close', () => {
      const wait = hasExited ? 0 : lastWords
      resolve(pause(wait, 'the shell there ended', { ref: false }))
    })
  })

/** Starts the framed shell in a session; rejects with `TransportError`, the session then being ended. */
export async function startShell(options: {
  readonly place: SshPlace
  readonly session: Session
  readonly become: Become
  /** Milliseconds. */
  readonly left: number
  readonly random: (bytes: number) => Buffer
}): Promise<Transport> {
  const { place, session, become, left, random } = options
  const { host, user, timeout } = place
  const nonce = random(16).toString('hex')
  const password = become === false ? undefined : become.password
  const prompt = password === undefined ? undefined : random(16).toString('hex')
  let wrongPassword = false
  const refuse = (facts: { said: string; why: string; timedOut: boolean }): TransportError => {
    session.destroy()
    const words = prompt === undefined ? facts.said : facts.said.replaceAll(prompt, '')
    const said = withoutSecrets(words, password === undefined ? [] : [password.reveal()]).trim()
    return shellRefusal({
      ...facts,
      host,
      user,
      sudo: become !== false,
      given: password !== undefined,
      wrongPassword,
      said,
    })
  }
  const opened = await session.exec(remoteCommand({ nonce, sudo: become !== false, prompt }))
  if (opened instanceof Error) throw refuse({ said: '', why: opened.message, timedOut: false })
  const channel = opened
  const ended = shellEnd(channel)
  const streams: ShellStreams = {
    stdin: channel,
    stdout: channel,
    stderr: channel.stderr,
    // The connection's own reason says more.
    gone: Promise.race([session.gone, ended]),
    cut: () => session.destroy(),
  }
  const onRefused = (): void => {
    wrongPassword = true
    // Not asked again: each wrong answer counts, and accounts are locked for it.
    session.destroy()
  }
  const stop =
    password === undefined || prompt === undefined
      ? undefined
      : answerSudo({ stderr: channel.stderr, stdin: channel, prompt, password, onRefused })
  const shell = await openFramedShell({ host, streams, nonce, timeout, left, random })
  stop?.()
  if (!shell.ready) throw refuse(shell)
  streams.gone.then(() => session.end())
  const dial = (to: ListeningPlace) =>
    'socket' in to ? session.forwardSocket(to.socket) : session.forward(to.address, to.port)
  return shellTransport({ host, streams, shell: shell.shell, random, dial })
}
