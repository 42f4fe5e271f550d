import { dirname } from 'node:path'
import type { Destination, Route } from '../destination.ts'
import { nameWithPort, plainWord, quote, withoutTokens, word } from '../sshArguments.ts'
import { questionArguments } from '../sshConfigLookup.ts'

/** Files of ssh_config(5) for servers without one of their own. */
export type UsualConfig = {
  /** Absent: those that ssh itself reads; else HOME is not the home that ssh takes for `~`. */
  readonly file?: string
}

/** Known host keys for one connection. */
export type TrustedKeys = {
  /** Private file with the known keys of the server, under the name that ssh looks up. */
  readonly file: string
  /** The name that ssh looks up instead of the address. */
  readonly alias?: string
}

const set = (...options: readonly string[]): readonly string[] => options.flatMap((option) => ['-o', option])

/**
 * Arguments of ssh(1) for one server, its name among them: what the YAML says, and what holds whatever ssh_config says.
 * That gives the rest.
 */
export function serverArguments(options: {
  readonly to: Destination
  /** ProxyCommand through the jump host before it. */
  readonly proxy: string | undefined
  readonly trusted: TrustedKeys
  readonly usual: UsualConfig
}): readonly string[] {
  const { to, proxy, trusted, usual } = options
  const { openssh, keys, check, label } = to
  const question = openssh?.question ?? { label, host: to.address, port: to.port, user: to.user }
  const path = (name: string) => word(label, name)
  const plain = (name: string) => plainWord(label, name)
  const identities = usual.file === undefined ? keys.first : [...keys.first, ...keys.files]
  const given = openssh?.knownHosts
  const users = given === undefined ? [] : [given]
  return [
    ...set(
      // A key that nobody knows is never accepted, whatever ssh_config says.
      'StrictHostKeyChecking=yes',
      'NoHostAuthenticationForLocalhost=no',
      // A fingerprint in the DNS would be enough for ssh, also for a key that known_hosts revokes.
      'VerifyHostKeyDNS=no',
      'UpdateHostKeys=no',
      ...(check.pinned === undefined
        ? [
            ...(usual.file === undefined && given === undefined
              ? []
              : [`UserKnownHostsFile=${(given === undefined ? check.files : users).map(path).join(' ')}`]),
            `GlobalKnownHostsFile=${[trusted.file, ...systemFiles(to)].map(plain).join(' ')}`,
            ...(trusted.alias === undefined ? [] : [`HostKeyAlias=${trusted.alias}`]),
          ]
        : pinOptions(to, trusted)),
      ...identities.map((file) => `IdentityFile=${path(file)}`),
      ...(keys.required || (keys.first.length > 0 && keys.agent === 'listed') ? ['IdentitiesOnly=yes'] : []),
      ...(proxy === undefined
        ? to.proxyCommand === undefined
          ? ['ProxyCommand=none']
          : []
        : [`ProxyCommand=${proxy}`, 'ProxyUseFdpass=no']),
    ),
    ...questionArguments(question, question.config ?? usual.file),
  ]
}

/** The command of ssh(1) for a person, who logs in by the way of a route that the built-in client cannot go. */
export function opensshCommand(options: {
  readonly route: Route
  readonly trustedOf: (to: Destination) => TrustedKeys
  readonly usual: UsualConfig
  /** Words of a command; none: a shell. ssh joins them by spaces. */
  readonly words: readonly string[]
}): readonly ['ssh', ...string[]] {
  const { route, trustedOf, usual, words } = options
  const { jumps, target } = route
  const argumentsOf = (to: Destination, proxy: string | undefined): readonly string[] =>
    serverArguments({ to, proxy, trusted: trustedOf(to), usual })
  const proxy = jumps.reduce<string | undefined>((before, jump, index) => {
    const next = nameWithPort(jumps[index + 1] ?? target)
    return withoutTokens(['ssh', '-W', next, ...argumentsOf(jump, before)].map(quote).join(' '))
  }, undefined)
  return ['ssh', ...argumentsOf(target, proxy), ...words]
}

/** A known_hosts file in the YAML is the only one of a host, and a further one of a jump host. */
const systemFiles = ({ openssh, jump }: Destination): readonly string[] =>
  openssh === undefined || (openssh.knownHosts !== undefined && !jump) ? [] : openssh.globalKnownHosts

/**
 * Only the key with the fingerprint is accepted: ssh asks a command for the lines of a server, and hands it the
 * fingerprint of the key that the server showed. `trusted` holds the whole key where it was read before.
 */
function pinOptions({ check, label }: Destination, trusted: TrustedKeys): readonly string[] {
  const nothing = ['UserKnownHostsFile=none', 'HostKeyAlgorithms=-*-cert-v01@openssh.com']
  if (trusted.alias !== undefined) {
    return [
      ...nothing,
      'KnownHostsCommand=none',
      `GlobalKnownHostsFile=${plainWord(label, trusted.file)}`,
      `HostKeyAlias=${trusted.alias}`,
    ]
  }
  const pinned = (check.pinned ?? '').replace(/=+$/, '')
  const accept = `if test "$1" = ${pinned}; then echo "$2 $3 $4"; fi`
  return [...nothing, 'GlobalKnownHostsFile=none', `KnownHostsCommand=/bin/sh -c '${accept}' sh %f %H %t %K`]
}

/** Files of one connection, in a folder of its own. */
export type ConnectionFiles = { readonly log: string; readonly control: string; readonly knownHosts: string }

/**
 * Options for a connection without a person: ssh asks nothing, writes its own lines into a file, and is the master of a
 * control socket of ours. A master of the user's own is neither used nor ended.
 */
export const unattended = (
  { label, openssh, proxyCommand }: Destination,
  files: ConnectionFiles,
  { timeout, keepalive }: { readonly timeout: number; readonly keepalive: number },
): readonly string[] => [
  ...['-T', '-E', files.log],
  ...set(
    'BatchMode=yes',
    'LogLevel=VERBOSE',
    'ControlMaster=yes',
    `ControlPath=${word(label, files.control)}`,
    'ControlPersist=no',
    'ClearAllForwardings=yes',
    'ForwardAgent=no',
    'ForwardX11=no',
    'Tunnel=no',
    'RemoteCommand=none',
    'EscapeChar=none',
    `ConnectTimeout=${Math.ceil(timeout / 1000)}`,
    `ServerAliveInterval=${Math.max(1, Math.ceil(keepalive / 1000))}`,
    'ServerAliveCountMax=2',
    ...(openssh?.undone ?? []),
    ...(proxyCommand === undefined || openssh?.proxyCommand === undefined
      ? []
      : [`ProxyCommand=${withFiles(openssh.proxyCommand)}`]),
  ),
]

/** Lifts the limit for files, which bounds the log of ssh alone. ssh puts `exec` before the command. */
const withFiles = (command: string): string => `<&0; ulimit -S -f "$(ulimit -H -f)"; exec ${command}`

/** Arguments that use the control socket of a connection, and never make another one. */
const over = (control: string): readonly string[] => [
  ...['ssh', '-F', 'none'],
  ...set(`ControlPath=${word(dirname(control), control)}`, 'ControlMaster=no', 'ProxyCommand=false'),
]

/** Forwards the socket `from` on this machine to a listener as the server sees it; one command of ssh. */
export const forwardCommand = (
  control: string,
  { from, to }: { readonly from: string; readonly to: string },
): readonly [string, ...string[]] => {
  const [program = 'ssh', ...options] = over(control)
  return [program, ...options, '-O', 'forward', '-L', `${field(from)}:${to}`, '--', 'muster']
}

/** A field of `-L`, in which colons separate. */
export const field = (text: string): string => text.replace(/[\\:]/g, '\\$&')

/** The ProxyCommand that leads through a connected jump host. */
export const proxyThrough = (control: string, next: Destination): string =>
  withoutTokens([...over(control), '-W', nameWithPort(next), '--', 'muster'].map(quote).join(' '))
