import { setTimeout as pause } from 'node:timers/promises'
import type { ShellStreams } from './exchange.ts'
import { openFramedShell } from './framedShell.ts'
import { remoteCommand } from './shellLoop.ts'
import { shellRefusal } from './shellRefusal.ts'
import { shellTransport } from './shellTransport.ts'
import type { SshPlace } from './sshErrors.ts'
import type { Session } from './sshSession.ts'
import type { Transport } from './transport.ts'
import type { TransportError } from './transportError.ts'

/** Starts the framed shell in a session; rejects with `TransportError`, the session then being ended. */
export async function startShell(options: {
  readonly place: SshPlace
  readonly session: Session
  readonly sudo: boolean
  /** Milliseconds. */
  readonly left: number
  readonly random: (bytes: number) => Buffer
}): Promise<Transport> {
  const { place, session, sudo, left, random } = options
  const { host, user } = place
  const nonce = random(16).toString('hex')
  const refuse = (facts: { said: string; why: string; timedOut: boolean }): TransportError => {
    session.destroy()
    return shellRefusal({ host, user, sudo, ...facts })
  }
  const opened = await session.exec(remoteCommand({ nonce, sudo }))
  if (opened instanceof Error) throw refuse({ said: '', why: opened.message, timedOut: false })
  const channel = opened
  const ended = new Promise<string>((resolve) => channel.on('close', () => resolve('the shell there ended')))
  const streams: ShellStreams = {
    stdin: channel,
    stdout: channel,
    stderr: channel.stderr,
    // The connection's own reason says more; it comes in the same turn as the end of the channel.
    gone: Promise.race([session.gone, ended.then((why) => pause(0, why))]),
    cut: () => session.destroy(),
  }
  const shell = await openFramedShell({ host, streams, nonce, timeout: left, random })
  if (!shell.ready) throw refuse(shell)
  streams.gone.then(() => session.end())
  return shellTransport({ host, streams, shell: shell.shell, random })
}
