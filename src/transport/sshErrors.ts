import { lastLines } from '../base/printable.ts'
import { errorCode } from '../base/systemErrors.ts'
import { dialError } from './dial.ts'
import { TransportError } from './transportError.ts'

/** How far a connection attempt came. */
export type Progress = {
  /** The other side said that it is an SSH server. */
  greeted: boolean
  /** Keys are exchanged and the host key is accepted. */
  agreed: boolean
  /** Keys that were tried, as messages call them. */
  tried: string[]
  /** Keys that are there and were not offered, with the reason. */
  skipped: readonly string[]
  /** Ways of logging in that the host would still take; empty before its first answer. */
  offered: readonly string[]
  /** A key was taken, but the host wants another proof besides. */
  partial: boolean
}

export type SshPlace = {
  /** As messages call it. */
  readonly host: string
  readonly address: string
  readonly port: number
  readonly user: string
  /** Milliseconds. */
  readonly timeout: number
}

/**
 * Whether a failure may be gone a moment later. A refused login or a wrong host key never is, and a jump host
 * has been tried often enough before it counts as failed.
 */
export const passes = (error: unknown): boolean =>
  error instanceof TransportError &&
  error.jump === undefined &&
  (['connection-lost', 'connection-timeout', 'no-ssh-banner'].includes(error.code) ||
    errorCode(error.cause) === 'EAI_AGAIN')

/** Why an attempt ended before the login; `cause` undefined: it was closed. */
export function attemptError(
  place: SshPlace,
  progress: Progress,
  cause: Error | 'late' | undefined,
): TransportError {
  const { host, address, port, timeout } = place
  const where = `${host} (${address} port ${port})`
  if (progress.agreed) return loginError(place, progress, cause)
  const error = (code: TransportError['code'], message: string, fix: string): TransportError =>
    new TransportError({ host, code, message, fix, ...(cause instanceof Error ? { cause } : {}) })
  if (cause instanceof Error && /no matching/.test(cause.message)) {
    return error(
      'no-login-method',
      `${where} and we have no algorithm in common: ${lastLines(cause.message).replace('Handshake failed: ', '')}`,
      'The SSH server there is too old or too narrowly set; SHA-1 and CBC are not used here.',
    )
  }
  if (!progress.greeted) {
    return error(
      'no-ssh-banner',
      cause === 'late'
        ? `${where} takes connections, but did not say within ${timeout / 1000} s that it is an SSH server`
        : `${where} closed the connection before it said that it is an SSH server`,
      'Is it sshd that listens on this port? If so, it may be overloaded (MaxStartups) or block this machine.',
    )
  }
  if (cause === 'late') {
    return error(
      'connection-timeout',
      `${where} did not finish the SSH handshake within ${timeout / 1000} s`,
      'The host or the network is very slow; a longer timeout under ssh gives it time.',
    )
  }
  return dialError(place, cause ?? new Error('it was closed during the SSH handshake'))
}

function loginError(place: SshPlace, progress: Progress, cause: Error | 'late' | undefined): TransportError {
  const { host, user, timeout } = place
  const skipped = progress.skipped.length === 0 ? '' : `; not tried: ${progress.skipped.join(', ')}`
  const tried = `tried: ${progress.tried.join(', ') || 'nothing'}${skipped}`
  const error = (code: TransportError['code'], message: string, fix: string): TransportError =>
    new TransportError({ host, code, message, fix })
  if (cause === 'late') {
    return error(
      'login-refused',
      `${host} did not answer the login of ${user} within ${timeout / 1000} s (${tried})`,
      'Look at the log of sshd on the host: name lookup, PAM or a directory service may be slow.',
    )
  }
  if (progress.partial) {
    return error(
      'login-refused',
      `${host} took the key of ${user}, but wants ${lastLines(progress.offered.join(' or '))} besides (${tried})`,
      'Only keys serve here: let sshd_config on the host ask this user for publickey alone.',
    )
  }
  if (progress.offered.length > 0 && !progress.offered.includes('publickey')) {
    return error(
      'login-refused',
      `${host} refused the login of ${user}: it takes no keys, only ${lastLines(progress.offered.join(', '))}`,
      'Set "PubkeyAuthentication yes" in sshd_config on the host.',
    )
  }
  const words =
    cause === undefined || /All configured/.test(cause.message) ? '' : `: ${lastLines(cause.message)}`
  return error(
    'login-refused',
    `${host} refused the login of ${user}${words} (${tried})`,
    /too many/i.test(words)
      ? 'Name the one right key as identity under ssh: the host stops after a few wrong ones (MaxAuthTries).'
      : `Is ${user} the right user, and one of these keys in its ~/.ssh/authorized_keys on the host? "ssh-copy-id" puts it there.`,
  )
}
