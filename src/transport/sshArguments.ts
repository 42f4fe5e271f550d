import type { Destination, Route } from './destination.ts'
import { TransportError } from './transportError.ts'

/** Where the program ssh finds the key of a server: known_hosts files, and the name to look up. */
export type KnownHostKey = { readonly files: readonly string[]; readonly alias: string }

/**
 * Returns the command of ssh(1) that logs in as muster does: by the same way, keys and known host keys. All of it is
 * given, so that no file of ssh_config(5) changes it. Throws a `TransportError`, code `ssh-config`, for what its
 * options cannot express.
 */
export function sshCommand(options: {
  /** Name of the host in the YAML, which `Host` of ssh_config is compared with. */
  readonly host: string
  readonly route: Route
  readonly keyOf: (server: Destination) => KnownHostKey
  /** File of ssh_config for what muster does not set, or `none`; absent: those that ssh itself reads. */
  readonly config?: string | undefined
  /** Words of a command; none: a shell. ssh joins them by spaces. */
  readonly words: readonly string[]
}): readonly ['ssh', ...string[]] {
  const { host, route, keyOf, config, words } = options
  const file = config === undefined ? [] : ['-F', config]
  let before: Destination | undefined
  let proxy: string | undefined
  const optionsTo = (to: Destination): readonly string[] => [
    ...file,
    ...loginOptions(to, keyOf(to)),
    '-o',
    `ProxyCommand=${before === undefined ? withoutTokens(to.proxyCommand ?? 'none') : proxy}`,
  ]
  for (const jump of route.jumps) {
    const next = route.jumps[route.jumps.indexOf(jump) + 1] ?? route.target
    const words = ['ssh', ...optionsTo(jump), '-W', nameWithPort(next), '--', jump.address]
    proxy = withoutTokens(words.map(quote).join(' '))
    before = jump
  }
  return ['ssh', ...optionsTo(route.target), '--', host, ...words]
}

export const nameWithPort = ({ address, port }: Destination): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

/**
 * Quotes a word of sh such that ssh, which counts the quotes of an option in its own way, finds them in pairs: it takes
 * a backslash before a quote for an escape also between single quotes.
 */
export const quote = (text: string): string =>
  text
    .split(/(['\\])/)
    .map((part) => (part === "'" ? `"'"` : part === '\\' ? '"\\\\"' : `'${part}'`))
    .join('')

/** Escapes the tokens of ssh_config(5). */
export const withoutTokens = (text: string): string => text.replaceAll('%', '%%')

/** A path as a word of ssh_config. */
export const word = (label: string, path: string): string => withoutTokens(plainWord(label, path))

/**
 * A path as a word of an option without tokens, such as GlobalKnownHostsFile. ssh_config has no escape for some
 * characters in all versions.
 */
export function plainWord(label: string, path: string): string {
  if (!/["\\\n]|\$\{/.test(path)) return `"${path}"`
  throw new TransportError({
    host: label,
    code: 'ssh-config',
    message: `ssh cannot be given the path ${path}, which has a quote, a backslash or a variable in it`,
    fix: 'Rename the file, or log in with ssh and options of your own.',
  })
}

function loginOptions(to: Destination, known: KnownHostKey): readonly string[] {
  const { keys, family, localAddress } = to
  const path = (name: string) => word(to.label, name)
  const set = (name: string, value: string): readonly string[] => ['-o', `${name}=${value}`]
  return [
    ...(family === undefined ? [] : [`-${family}`]),
    ...(localAddress === undefined ? [] : ['-b', localAddress]),
    ...['-p', String(to.port), '-l', to.user],
    ...set('HostName', withoutTokens(to.address)),
    ...set('CanonicalizeHostname', 'no'),
    ...set('ConnectTimeout', String(Math.ceil(to.timeout / 1000))),
    ...[...keys.first, ...keys.files].flatMap((file) => set('IdentityFile', path(file))),
    ...set('IdentitiesOnly', keys.agent === 'listed' ? 'yes' : 'no'),
    ...set('IdentityAgent', keys.socket === undefined ? 'none' : path(keys.socket)),
    ...set('UserKnownHostsFile', known.files.map(path).join(' ') || 'none'),
    ...set('GlobalKnownHostsFile', 'none'),
    ...set('HostKeyAlias', known.alias),
    ...set('StrictHostKeyChecking', 'yes'),
    ...set('VerifyHostKeyDNS', 'no'),
    ...set('UpdateHostKeys', 'no'),
  ]
}
