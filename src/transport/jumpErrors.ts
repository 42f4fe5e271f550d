import { lastLines } from '../base/printable.ts'
import { TransportError, type TransportErrorCode } from './transportError.ts'

/** What a jump host said when it was asked for a connection (RFC 4254, section 5.1). */
type Refusal = { readonly message: string; readonly reason: unknown }

const reasons: readonly (readonly [RegExp, TransportErrorCode, string])[] = [
  [
    /refused/i,
    'connection-refused',
    'Is sshd running there, and on this port? Set port under ssh otherwise.',
  ],
  [
    /timed out|no answer|no route|unreachable/i,
    'connection-timeout',
    'Is the host up, and may the jump host reach it? A firewall between the two drops what it does not allow.',
  ],
  [
    /not known|resolution|no address|nodename/i,
    'name-not-found',
    'The jump host looks the name up, not this machine: correct the address of the host, or write an IP address.',
  ],
]

/** RFC 4254, section 5.1. */
const administrativelyProhibited = 1

/** Why a jump host gave no connection to the next host of the way. */
export function forwardError(
  way: {
    /** The jump host and the next one on the way, as messages call them. */
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
      `${jump} does not let anybody through to ${where}: ${said}`,
      'Set "AllowTcpForwarding yes" in sshd_config there, and look whether PermitOpen or the key\'s own options forbid it.',
    )
  }
  const [, code, fix] = reasons.find(([pattern]) => pattern.test(said)) ?? [
    undefined,
    'connection-lost' as const,
    `Look at the log of sshd on ${jump}, then run the command again.`,
  ]
  return error(code, `${jump} cannot connect to ${where}: ${said}`, fix)
}

const fixes: Partial<Record<TransportErrorCode, string>> = {
  'connection-refused':
    'Is sshd running there, and on this port? Another port stands behind its name: jump: name:port.',
  'name-not-found': 'Correct jump under ssh, or write an IP address.',
}

/** The failure of a jump host as that of a host behind it; `error.host` is what messages call the jump host. */
export const behindJump = (host: string, error: TransportError): TransportError =>
  new TransportError({
    host,
    code: error.code,
    message: `${host} lies behind ${error.host}: ${error.message}`,
    fix: error.jump === undefined ? (fixes[error.code] ?? error.fix) : error.fix,
    jump: error.jump ?? error.host,
    cause: error.cause,
  })
