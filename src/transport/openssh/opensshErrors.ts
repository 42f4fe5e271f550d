import { tmpdir } from 'node:os'
import { lastLines } from '../../base/printable.ts'
import { errorCode, systemReason } from '../../base/systemErrors.ts'
import { redactedErrorOutput } from '../../secrets/redactedErrorOutput.ts'
import type { Destination } from '../destination.ts'
import { tooOld } from '../sshConfigLookup.ts'
import { TransportError, type TransportErrorCode } from '../transportError.ts'

/** Lines of ssh that say how a connection went, not why it failed. */
const passing =
  /^(Authenticated to |Transferred: |Bytes per second: |Warning: Permanently added|debug\d: |Killed by signal)/

const ownLines = (log: string): readonly string[] =>
  log.split(/\r?\n/).filter((line) => line.trim() !== '' && !passing.test(line))

/** Returns true if ssh has logged in. */
export const isLoggedIn = (log: string): boolean => /^Authenticated to /m.test(log)

/** The reason of the last connection that a server did not open for us. */
export const refusedChannel = (log: string): string | undefined =>
  [...log.matchAll(/^channel \d+: open failed: (.*)$/gm)].at(-1)?.[1]?.trim()

/** Explains in words why a connection that was logged in has ended. */
export function endReason({ code, log }: { readonly code: number | null; readonly log: string }): string {
  if (/^Timeout, server .* not responding/m.test(log)) return 'it no longer answers'
  const last = ownLines(log).at(-1)
  if (code === null) return 'it was closed'
  if (code !== 255) return 'the shell there ended'
  return last === undefined ? 'the host closed it' : `ssh: ${lastLines(last)}`
}

/** Explains that the files of a connection cannot be written on this machine. */
export function filesError({ label: host }: Destination, error: unknown): unknown {
  const code = errorCode(error)
  if (code === undefined || error instanceof TransportError) return error
  return new TransportError({
    host,
    code: 'ssh-config',
    message: `ssh for ${host} cannot have its files in the temporary folder ${tmpdir()}: ${systemReason(code) ?? code}`,
    fix: 'Free space there, or set TMPDIR to a folder in which you may write.',
    cause: error,
  })
}

type Words = readonly [pattern: RegExp, code: TransportErrorCode, message: string, fix: string]

/** Lines of ssh that say why it did not offer a key. */
const aboutKeys = /^(no such identity: |Load key |provider |sign_and_send_pubkey: |identity_sign: |agent )/

const maxKeyLines = 3

/**
 * WHERE is the server with its address, PLACE that address, HOST its name, USER the login, and $1 a part of ssh's line.
 */
const known: readonly Words[] = [
  [
    /Could not resolve hostname/,
    'name-not-found',
    'the name of WHERE cannot be resolved',
    'Correct the address of the host in the YAML, or use an IP address.',
  ],
  [
    /Connection refused/,
    'connection-refused',
    'HOST refused the connection to PLACE',
    'Check that sshd runs there on this port, or set port under ssh.',
  ],
  [
    /timed out during banner exchange|kex_exchange_identification|banner line contains invalid|read protocol version|protocol version identification/,
    'no-ssh-banner',
    'WHERE sent no SSH banner',
    'Check that sshd listens on this port. It may also be overloaded (MaxStartups) or block this machine.',
  ],
  [
    /Connection timed out|Operation timed out|No route to host|unreachable/i,
    'connection-timeout',
    'no answer from WHERE',
    'Check that the host is up and that no firewall drops the connection. Set a longer timeout under ssh for a slow network.',
  ],
  [
    /Host key verification failed|No \S+ host key is known|REMOTE HOST IDENTIFICATION|marked as revoked|Certificate invalid/,
    'host-key-unknown',
    'ssh does not accept the host key of HOST',
    'Run `muster trust`, which shows the key and adds it to known_hosts after you confirm; a certificate must name the host as ssh looks it up (HostKeyAlias).',
  ],
  [
    /Permission denied \(([^)]*gssapi[^)]*)\)/,
    'login-refused',
    'HOST refused the login of USER; it accepts: $1',
    'Run kinit if you log in by Kerberos: ssh finds no ticket that the host accepts. Otherwise check with "ssh -v" that the login works without a question.',
  ],
  [
    /Permission denied \(([^)]*)\)/,
    'login-refused',
    'HOST refused the login of USER; it accepts: $1',
    'Check with "ssh -v" that the login works without a question: muster lets ssh ask nothing. Load a key with a passphrase or a PIN into the agent with ssh-add.',
  ],
  [
    /Too many authentication failures/,
    'login-refused',
    'HOST refused the login of USER after too many keys',
    'Set identity under ssh to the right key: the host stops after a few wrong ones (MaxAuthTries).',
  ],
  [
    /no matching|no mutual|invalid key length|Invalid key length/,
    'no-login-method',
    'WHERE and ssh have no common algorithm',
    'Update the SSH server there, or allow more algorithms in ssh_config.',
  ],
  [
    /[Bb]ad configuration option|Bad owner or permissions|bad configuration options|no argument after keyword|keyword \S+ extra arguments/,
    'ssh-config',
    'ssh cannot read its configuration for HOST',
    'Correct your ssh_config, or the file of config under ssh; "ssh -G" with the name of the host shows the same error.',
  ],
  [
    /Connection (closed|reset)|Broken pipe|disconnect|ssh_dispatch_run_fatal|Bad packet length|Corrupted MAC/i,
    'connection-lost',
    'the connection to WHERE was lost',
    'Check the log of sshd on the host and the network in between, then run the command again.',
  ],
]

const isPartial = (log: string): boolean => /^Authenticated using .* with partial success/m.test(log)

/** After a first method that was accepted. */
const secondFactor: Words = [
  /Permission denied \(([^)]*)\)/,
  'login-refused',
  'HOST accepted the first login method of USER, but also requires $1',
  'Require only that method for this user in sshd_config on the host (AuthenticationMethods): muster lets ssh ask nothing.',
]

/** Explains a login of the program ssh that failed: in our words, and its own last line beneath. */
export function opensshError(
  { label: host, address, port, user, timeout, proxyCommand, openssh }: Destination,
  facts: {
    readonly log: string
    /** Standard error: the banner, and what a ProxyCommand printed. */
    readonly said: string
    /** Of ssh; undefined if it did not end in time. */
    readonly code: number | null | undefined
  },
): TransportError {
  const { log, said, code } = facts
  const lines = ownLines(log)
  const last = lines.at(-1) ?? ''
  const through = proxyCommand === undefined ? '' : redactedErrorOutput(said, [])
  const error = (code: TransportErrorCode, message: string, fix: string, line = last): TransportError => {
    const keys =
      code === 'login-refused' ? lines.filter((one) => aboutKeys.test(one)).slice(-maxKeyLines) : []
    const beneath = [
      ...[...keys, ...(line === '' ? [] : [line])].map(
        (one) => `ssh: ${lastLines(one.replace(/^ssh: /, ''))}`,
      ),
      ...(through === '' ? [] : [`its ProxyCommand printed: ${through}`]),
    ]
    return new TransportError({ host, code, message: [message, ...beneath].join('\n'), fix })
  }
  if (code === 127 && last === '') {
    const why =
      openssh === undefined || openssh.reasons.length === 0
        ? 'transport: openssh'
        : openssh.reasons.join(' and ')
    return error(
      'ssh-config',
      `this machine has no ssh program, by which ${host} is reached (${why})`,
      'Install the OpenSSH client, or set transport: builtin under ssh.',
    )
  }
  const old = tooOld(host, ownLines(`${said}\n${log}`).join('\n'))
  if (old !== undefined) return old
  // A host key is refused in several lines, and a jump host's reason is before that of the host.
  for (const [pattern, errorCode, message, fix] of isPartial(log) ? [secondFactor, ...known] : known) {
    const line = lines.findLast((one) => pattern.test(one))
    if (line === undefined) continue
    const where = `${host} (${address} port ${port})`
    const part = lastLines(pattern.exec(line)?.[1] ?? '')
    const words = { WHERE: where, PLACE: `${address} port ${port}`, HOST: host, USER: user, $1: part }
    const filled = message.replace(/WHERE|PLACE|HOST|USER|\$1/g, (name) => words[name as keyof typeof words])
    return error(errorCode, filled, fix, line)
  }
  if (code === undefined) {
    return error(
      'connection-timeout',
      `ssh did not log in to ${host} as ${user} within ${timeout / 1000} s`,
      'Set a longer timeout under ssh: the host or the network is very slow, or a security token waits to be touched.',
    )
  }
  return error(
    'login-refused',
    `ssh could not log in to ${host} as ${user}`,
    'Check with "ssh -v" and the name of the host that the login works.',
  )
}
