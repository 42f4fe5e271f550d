import { join } from 'node:path'
import type { SshEnvironment } from './sshTarget.ts'

/** Options without effect on the route, host keys or login keys (ssh_config(5)); distributions set them. */
const ignoredOptions = new Set([
  'casignaturealgorithms',
  'ciphers',
  'compression',
  'forwardagent',
  'forwardx11',
  'forwardx11trusted',
  'gssapiauthentication',
  'gssapidelegatecredentials',
  'gssapikexalgorithms',
  'gssapikeyexchange',
  'hashknownhosts',
  'hostkeyalgorithms',
  'kexalgorithms',
  'macs',
  'permitlocalcommand',
  'pubkeyacceptedalgorithms',
  'pubkeyacceptedkeytypes',
  'requiredrsasize',
  'rsaminsize',
  'sendenv',
  'serveraliveinterval',
  'tunnel',
  'visualhostkey',
  'xauthlocation',
])

/**
 * Returns the files that an ssh_config includes if all its other options are harmless; undefined otherwise.
 * Such files need no `ssh -G`, which costs a process for each host.
 */
export function includesIfHarmless(
  text: string,
  { hasTicket = false }: Pick<SshEnvironment, 'hasTicket'> = {},
): readonly string[] | undefined {
  const includes: string[] = []
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^\s*([A-Za-z0-9]+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? []
    const option = name.toLowerCase()
    if (option === '' && /^\s*(#.*)?$/.test(line)) continue
    if (option === 'include') includes.push(...value.split(/\s+/))
    else if (hasTicket && option === 'gssapiauthentication') return undefined
    else if (!(ignoredOptions.has(option) || (option === 'host' && value === '*') || isForAll(option, value)))
      return undefined
  }
  return includes
}

const isForAll = (option: string, value: string): boolean =>
  option === 'match' && /^(final\s+)?all$/i.test(value)

type Facts = {
  /** Host argument of ssh. */
  readonly host: string
  readonly hostname: string
  readonly port: number
  readonly user: string
  /** HostKeyAlias. */
  readonly alias: string | undefined
  readonly env: SshEnvironment
}

/**
 * Replaces `~`, `%` tokens and `${VARIABLE}` in a value (ssh_config(5), TOKENS and ENVIRONMENT VARIABLES),
 * which `ssh -G` leaves as they are; or returns the first token that is not supported.
 */
function expandTokens(text: string, facts: Facts): string | { readonly token: string } {
  const { host, hostname, port, user, alias, env } = facts
  const tokens: Readonly<Record<string, string>> = {
    '%%': '%',
    '%d': env.home,
    '%h': hostname,
    '%k': alias ?? host,
    '%n': host,
    '%p': String(port),
    '%r': user,
    '%u': env.user,
  }
  let unknown: string | undefined
  const home = text === '~' || text.startsWith('~/') ? join(env.home, text.slice(1)) : text
  const made = home.replaceAll(/%.|\$\{([^}]*)\}/g, (token, variable: string | undefined) => {
    const value = variable === undefined ? tokens[token] : env.variables?.[variable]
    if (value === undefined) unknown ??= token
    return value ?? token
  })
  return unknown === undefined ? made : { token: unknown }
}

/** The part of one host's ssh_config that is used here (ssh_config(5)). Paths are absolute. */
export type SshConfig = {
  readonly hostname: string
  readonly port: number
  readonly user: string
  /** IdentityFile; absent if none is set. */
  readonly identities?: readonly string[]
  readonly identitiesOnly: boolean
  /** IdentityAgent: a socket or `none`; absent if not set. */
  readonly agent?: string
  /** ProxyJump, each as `[user@]host[:port]`; may be empty. */
  readonly jump: readonly string[]
  readonly proxyCommand?: string
  /** The ProxyCommand with its tokens, such as %h. */
  readonly writtenProxyCommand?: string
  /** UserKnownHostsFile and GlobalKnownHostsFile. */
  readonly knownHosts: readonly string[]
  readonly hostKeyAlias?: string
  /** StrictHostKeyChecking, if less than strict. */
  readonly lenient?: 'no' | 'accept-new'
  /** HashKnownHosts. */
  readonly hashed?: true
  readonly bindAddress?: string
  readonly family?: 4 | 6
  /** ConnectTimeout in milliseconds. */
  readonly timeout?: number
  /** Options that are set and not supported by the built-in client, by topic. */
  readonly refused: Readonly<Record<'keys' | 'hostKeys' | 'way', readonly string[]>>
  /** GSSAPIAuthentication is set, and there is a ticket or it is preferred. */
  readonly gssapi: boolean
  /** GlobalKnownHostsFile. */
  readonly globalKnownHosts: readonly string[]
  /** Options that leave no shell to talk to, as the program ssh is told them instead. */
  readonly undone: readonly string[]
  /** Names of environment variables that options name. */
  readonly variables: readonly string[]
}

/** Parses the output of `ssh -G`: lines of an option's name in lower case and its value. */
function optionsOf(printed: string): (name: string) => readonly string[] {
  const options = new Map<string, string[]>()
  for (const line of printed.split('\n')) {
    const [, name, value = ''] = /^(\S+) (.*)$/.exec(line.trimEnd()) ?? []
    const key = name?.toLowerCase()
    if (key === undefined) continue
    const values = options.get(key)
    if (values === undefined) options.set(key, [value])
    else values.push(value)
  }
  return (name) => options.get(name) ?? []
}

/** Returns true for the default key files, as `ssh -G` prints them. */
const isDefaultKey = (file: string): boolean =>
  /^~\/\.ssh\/id_(rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk|xmss)$/.test(file)

/** Options that an older ssh does not know, with the values that leave a shell on standard input and a short log. */
const shellOptions = [
  ['SessionType', 'default'],
  ['StdinNull', 'no'],
  ['ForkAfterAuthentication', 'no'],
  ['LogVerbose', 'none'],
] as const

/** Splits the files that `ssh -G` prints on one line without quotes: a new one begins where a path does. */
const filesOf = (line: string): readonly string[] => (line === '' ? [] : line.split(/ (?=[/~%$]|none$)/))

/**
 * Parses the output of `ssh -G`. `host` is the host argument of ssh, `sshHome` the home that ssh took for
 * `~`.
 */
export function readSshConfig(
  printed: string,
  asked: { readonly host: string; readonly env: SshEnvironment; readonly sshHome: string },
): SshConfig {
  const { host, env, sshHome } = asked
  const all = optionsOf(printed)
  const one = (name: string): string | undefined => all(name)[0]
  const isSet = (name: string): boolean => ![undefined, 'none', 'no', 'false'].includes(one(name))
  const hostname = one('hostname') ?? host
  const port = Number(one('port') ?? 22)
  const user = one('user') ?? env.user
  const alias = one('hostkeyalias')
  const unsupported: string[] = []
  const expand = (option: string, text: string): string => {
    const made = expandTokens(text, { host, hostname, port, user, alias, env })
    if (typeof made === 'string') return made
    unsupported.push(`${option} with ${made.token}`)
    return text
  }
  const ownHome = (file: string): string =>
    [join(sshHome, '.ssh/known_hosts'), join(sshHome, '.ssh/known_hosts2')].includes(file)
      ? join(env.home, file.slice(sshHome.length))
      : file
  const identities = all('identityfile').filter((file) => file !== 'none')
  const named = identities.some((file) => !isDefaultKey(file))
  const agent = agentOf(one('identityagent'), env, (text) => expand('IdentityAgent', text))
  const proxyCommand = one('proxycommand')
  const seconds = Number(one('connecttimeout'))
  const strict = one('stricthostkeychecking')
  const family = one('addressfamily')
  const globalKnownHosts = filesOf(one('globalknownhostsfile') ?? '').filter((file) => file !== 'none')
  const knownHosts = [...filesOf(one('userknownhostsfile') ?? ''), ...globalKnownHosts]
  const refusedIf = (name: string, written: string): readonly string[] => (isSet(name) ? [written] : [])
  const methods = one('preferredauthentications')
  const noKeys = one('pubkeyauthentication') === 'false' || one('pubkeyauthentication') === 'no'
  const read = {
    hostname,
    port,
    user,
    ...(named ? { identities: identities.map((file) => expand('IdentityFile', file)) } : {}),
    identitiesOnly: one('identitiesonly') === 'yes',
    ...(agent === undefined ? {} : { agent }),
    jump: isSet('proxyjump') ? (one('proxyjump') ?? '').split(',') : [],
    ...(isSet('proxycommand') && proxyCommand !== undefined
      ? { proxyCommand: expand('ProxyCommand', proxyCommand), writtenProxyCommand: proxyCommand }
      : {}),
    knownHosts: knownHosts
      .filter((file) => file !== 'none')
      .map((file) => expand('UserKnownHostsFile', ownHome(file))),
    ...(alias === undefined ? {} : { hostKeyAlias: alias }),
    ...(strict === 'false' || strict === 'no' || strict === 'off' ? { lenient: 'no' as const } : {}),
    ...(strict === 'accept-new' ? { lenient: 'accept-new' as const } : {}),
    ...(isSet('hashknownhosts') ? { hashed: true as const } : {}),
    ...(isSet('bindaddress') ? { bindAddress: one('bindaddress') ?? '' } : {}),
    ...(family === 'inet' ? { family: 4 as const } : family === 'inet6' ? { family: 6 as const } : {}),
    ...(seconds > 0 ? { timeout: seconds * 1000 } : {}),
  }
  const about = (pattern: RegExp): readonly string[] => unsupported.filter((text) => pattern.test(text))
  return {
    ...read,
    gssapi:
      one('gssapiauthentication') === 'yes' &&
      (env.hasTicket === true || methods?.startsWith('gssapi') === true),
    globalKnownHosts,
    undone: shellOptions.flatMap(([name, wanted]) => {
      const value = one(name.toLowerCase())
      return value === undefined || value === wanted ? [] : [`${name}=${wanted}`]
    }),
    variables: [...new Set([...printed.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name))],
    refused: {
      keys: [
        ...refusedIf('certificatefile', 'CertificateFile'),
        ...refusedIf('pkcs11provider', 'PKCS11Provider'),
        ...(noKeys ? ['PubkeyAuthentication no'] : []),
        ...(methods === undefined || methods.split(',').includes('publickey')
          ? []
          : [`PreferredAuthentications ${methods}`]),
        ...about(/^Identity/),
      ],
      hostKeys: [
        ...refusedIf('knownhostscommand', 'KnownHostsCommand'),
        ...refusedIf('revokedhostkeys', 'RevokedHostKeys'),
        ...about(/^UserKnown/),
      ],
      way: [
        ...refusedIf('bindinterface', 'BindInterface'),
        ...(isSet('proxycommand') ? refusedIf('proxyusefdpass', 'ProxyUseFdpass') : []),
        ...about(/^Proxy/),
      ],
    },
  }
}

/** Resolves IdentityAgent: `SSH_AUTH_SOCK`, the name of a variable behind a dollar sign, or a socket. */
function agentOf(
  value: string | undefined,
  env: SshEnvironment,
  expand: (text: string) => string,
): string | undefined {
  if (value === undefined || value === 'SSH_AUTH_SOCK') return undefined
  const [, variable] = /^\$([A-Za-z_]\w*)$/.exec(value) ?? []
  if (variable !== undefined) return env.variables?.[variable] ?? 'none'
  return value === 'none' ? value : expand(value)
}
