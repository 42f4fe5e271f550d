import { lastLines } from '../base/printable.ts'
import { errorCode } from '../base/systemErrors.ts'
import { dialError } from './dial.ts'
import { TransportError, type TransportErrorCode } from './transportError.ts'

/** Refusal of a jump host to open a connection (RFC 4254, section 5.1). */
type Refusal = { readonly message: string; readonly reason: unknown }

const reasons: readonly (readonly [RegExp, TransportErrorCode, string])[] = [
  [/refused/i, 'connection-refused', 'Check that sshd runs there on this port, or set port under ssh.'],
  [
    /timed out|no answer|no route|unreachable/i,
    'connection-timeout',
    'Check that the host is up and that no firewall between it and the jump host drops the connection.',
  ],
  [
    /not known|resolution|no address|nodename/i,
    'name-not-found',
    'Correct the address of the host, or use an IP address: the jump host resolves the name, not this machine.',
  ],
]

/** RFC 4254, section 5.1. */
export const administrativelyProhibited = 1

/** Explains why a jump host refused a connection to the next host. */
export function forwardError(
  way: {
    /** The jump host and the next host, named for messages. */
    readonly jump: string
    readonly next: string
    readonly address: string
    readonly port: number
  },
  refusal: Refusal,
): TransportError {
  const { jump, next, address, port } = way
  const said =
    lastLines(refusal.message.replace(/^\(SSH\) Channel open failure: ?/, '')) || 'it gave no reason'
  const where = `${next} (${address} port ${port})`
  const error = (code: TransportErrorCode, message: string, fix: string): TransportError =>
    new TransportError({ host: next, code, message, fix, jump })
  if (refusal.reason === administrativelyProhibited) {
    return error(
      'forwarding-refused',
      `${jump} refuses to forward connections to ${where}: ${said}`,
      'Set "AllowTcpForwarding yes" in sshd_config there, and check that neither PermitOpen nor the options of the key forbid it.',
    )
  }
  const [, code, fix] = reasons.find(([pattern]) => pattern.test(said)) ?? [
    undefined,
    'connection-lost' as const,
    `Check the log of sshd on ${jump}, then run the command again.`,
  ]
  return error(code, `${jump} cannot connect to ${where}: ${said}`, fix)
}

const fixes: Partial<Record<TransportErrorCode, string>> = {
  'connection-refused':
    'Check that sshd runs there on this port, or write another port after the name: jump: name:port.',
  'name-not-found': 'Correct jump under ssh, or use an IP address.',
}

/**
 * Turns the failure of a jump host into that of a host behind it; `error.host` is the jump host's name for
 * messages.
 */
export const jumpHostError = (host: string, error: TransportError): TransportError =>
  new TransportError({
    host,
    code: error.code,
    message: `${host} is behind ${error.host}: ${error.message}`,
    fix: error.jump === undefined ? (fixes[error.code] ?? error.fix) : error.fix,
    jump: error.jump ?? error.host,
    cause: error.cause,
  })

/** Progress of a connection attempt. */
export type Progress = {
  /** The server sent its SSH identification. */
  bannerReceived: boolean
  /** Key exchange is done and the host key is accepted. */
  handshakeDone: boolean
  /** Keys that were offered, named for messages. */
  tried: string[]
  /** Keys that were not offered, with the reason. */
  skipped: readonly string[]
  /** Login methods that the host would still accept; empty before its first response. */
  offered: readonly string[]
  /** A key was accepted, but the host requires another method too. */
  partial: boolean
}

export type SshPlace = {
  /** Name for messages. */
  readonly host: string
  readonly address: string
  readonly port: number
  readonly user: string
  /** Milliseconds. */
  readonly timeout: number
}

/**
 * Returns true if a retry may help. Never for a refused login or a wrong host key; a jump host has already
 * been retried.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof TransportError &&
  error.jump === undefined &&
  (['connection-lost', 'connection-timeout', 'no-ssh-banner'].includes(error.code) ||
    errorCode(error.cause) === 'EAI_AGAIN')

/** Explains an attempt that failed before the login; `cause` undefined: the connection was closed. */
export function attemptError(
  place: SshPlace,
  progress: Progress,
  cause: Error | 'timeout' | undefined,
): TransportError {
  const { host, address, port, timeout } = place
  const where = `${host} (${address} port ${port})`
  if (progress.handshakeDone) return loginError(place, progress, cause)
  const error = (code: TransportError['code'], message: string, fix: string): TransportError =>
    new TransportError({ host, code, message, fix, ...(cause instanceof Error ? { cause } : {}) })
  if (cause instanceof Error && /no matching/.test(cause.message)) {
    return error(
      'no-login-method',
      `${where} and muster have no common algorithm: ${lastLines(cause.message).replace('Handshake failed: ', '')}`,
      'Update the SSH server there, or allow more algorithms: muster does not use SHA-1 and CBC.',
    )
  }
  if (!progress.bannerReceived) {
    return error(
      'no-ssh-banner',
      cause === 'timeout'
        ? `${where} accepted the connection, but sent no SSH banner within ${timeout / 1000} s`
        : `${where} closed the connection before it sent an SSH banner`,
      'Check that sshd listens on this port. It may also be overloaded (MaxStartups) or block this machine.',
    )
  }
  if (cause === 'timeout') {
    return error(
      'connection-timeout',
      `${where} did not finish the SSH handshake within ${timeout / 1000} s`,
      'Set a longer timeout under ssh: the host or the network is very slow.',
    )
  }
  return dialError(place, cause ?? new Error('it was closed during the SSH handshake'))
}

function loginError(
  place: SshPlace,
  progress: Progress,
  cause: Error | 'timeout' | undefined,
): TransportError {
  const { host, user, timeout } = place
  const skipped = progress.skipped.length === 0 ? '' : `; not tried: ${progress.skipped.join(', ')}`
  const tried = `tried: ${progress.tried.join(', ') || 'nothing'}${skipped}`
  const error = (code: TransportError['code'], message: string, fix: string): TransportError =>
    new TransportError({ host, code, message, fix })
  if (cause === 'timeout') {
    return error(
      'login-refused',
      `${host} did not answer the login of ${user} within ${timeout / 1000} s (${tried})`,
      'Check the log of sshd on the host: name lookup, PAM or a directory service may be slow.',
    )
  }
  if (progress.partial) {
    return error(
      'login-refused',
      `${host} accepted the key of ${user}, but also requires ${lastLines(progress.offered.join(' or '))} (${tried})`,
      'Require only publickey for this user in sshd_config on the host: muster supports no other method.',
    )
  }
  const kerberos = progress.offered.includes('gssapi-with-mic')
    ? 'To log in by Kerberos, run kinit and set "GSSAPIAuthentication yes" in ssh_config. '
    : ''
  if (progress.offered.length > 0 && !progress.offered.includes('publickey')) {
    return error(
      'login-refused',
      `${host} refused the login of ${user}: it accepts no keys, only ${lastLines(progress.offered.join(', '))}`,
      `${kerberos}${kerberos === '' ? 'Set' : 'For keys, set'} "PubkeyAuthentication yes" in sshd_config on the host.`,
    )
  }
  const words =
    cause === undefined || /All configured/.test(cause.message) ? '' : `: ${lastLines(cause.message)}`
  return error(
    'login-refused',
    `${host} refused the login of ${user}${words} (${tried})`,
    /too many/i.test(words)
      ? 'Set identity under ssh to the right key: the host stops after a few wrong ones (MaxAuthTries).'
      : `${kerberos}Check that ${user} is the right user, and add one of these keys to its ~/.ssh/authorized_keys on the host with "ssh-copy-id".`,
  )
}
