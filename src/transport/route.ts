import { join } from 'node:path'
import type { Secret } from '../secrets/secret.ts'
import type { Destination, HostKeyOptions, LoginKeyOptions, Route, SshConfigRequest } from './destination.ts'
import type { SshConfig } from './sshConfig.ts'
import type { SshConfigLookup } from './sshConfigLookup.ts'
import { defaultPort, defaultTimeout, type SshEnvironment, type SshTarget } from './sshTarget.ts'
import { TransportError } from './transportError.ts'

/** A jump host, as in `ssh -J`. */
type JumpHost = {
  /** Absent: from ssh_config, else the invoking user. */
  readonly user?: string
  /** A name or an IP address, without brackets. */
  readonly host: string
  readonly port?: number
}

const form = /^(?:ssh:\/\/)?(?:([^@]+)@)?(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/

/** Parses `[user@]host[:port]`, an IPv6 address in brackets (ssh_config(5), ProxyJump). */
function parseJumpHost(text: string): JumpHost {
  const [, user, bracketed, plain, port] = form.exec(text) ?? []
  return {
    ...(user === undefined ? {} : { user }),
    host: bracketed ?? plain ?? text,
    ...(port === undefined ? {} : { port: Number(port) }),
  }
}

/** Parses a list; `none` alone is an empty list, as in ssh_config(5). */
export const parseJumpHosts = (texts: readonly string[]): readonly JumpHost[] =>
  texts.length === 1 && texts[0]?.toLowerCase() === 'none' ? [] : texts.map(parseJumpHost)

type Overridden = Pick<SshTarget, 'identity' | 'hostKey' | 'jump'>

/**
 * Lists the options of ssh_config that the built-in client does not support, unless the YAML overrides them: ignoring
 * them would be a different login.
 */
function unsupportedOptions(
  sshConfig: SshConfig | undefined,
  ssh: Overridden,
): readonly { readonly options: readonly string[]; readonly topic: keyof SshConfig['refused'] }[] {
  if (sshConfig === undefined) return []
  const { keys, hostKeys, way } = sshConfig.refused
  const topics = [
    { options: ssh.identity === undefined ? keys : [], topic: 'keys' },
    { options: ssh.hostKey === undefined ? hostKeys : [], topic: 'hostKeys' },
    { options: ssh.jump === undefined ? way : [], topic: 'way' },
  ] as const
  return topics.filter(({ options }) => options.length > 0)
}

/** Throws if ssh_config has options that the built-in client does not support. */
function rejectUnsupported(
  label: string,
  [first]: ReturnType<typeof unsupportedOptions>,
  { jump }: { readonly jump: boolean },
): void {
  if (first === undefined) return
  const fixes = {
    keys: 'set identity under ssh to a plain private key, which is used instead',
    hostKeys: jump
      ? 'add the key of the jump host to known_hosts and remove the option for it'
      : 'set host-key under ssh to the fingerprint of the host key, which is used instead',
    way: 'set address and jump in the YAML instead',
  }
  throw new TransportError({
    host: label,
    code: 'ssh-config',
    message: `ssh_config sets ${first.options.join(' and ')} for ${label}, which the built-in SSH client does not support`,
    fix: `Set transport: openssh under ssh, by which the system's ssh connects; or ${fixes[first.topic]}.`,
  })
}

/** Private keys that are tried by default; those of security tokens only to report them. */
const defaultKeyNames = ['id_ed25519', 'id_ecdsa', 'id_rsa']

/** A host of the YAML with its connection settings. */
export type HostConnection = {
  /** Name in the YAML. */
  readonly host: string
  /** Name or IP address to connect to. */
  readonly address: string
  readonly ssh: SshTarget
  readonly env: SshEnvironment
  /** For sudo, if it asks for a password. */
  readonly becomePassword?: Secret
}

/**
 * Resolves the route to a host from the YAML, then from ssh_config. Rejects with `TransportError`, code
 * `ssh-config`.
 */
export async function routeOf(wanted: HostConnection, ask: SshConfigLookup): Promise<Route> {
  const { host, address, ssh } = wanted
  const question = {
    label: host,
    host,
    ...(address === host ? {} : { address }),
    ...omitUndefined({ port: ssh.port, user: ssh.user, config: ssh.config }),
  }
  const sshConfig = await ask(question)
  const openssh = opensshOptions({ question, ssh, sshConfig, overridden: ssh })
  const target = targetOf(wanted, sshConfig, openssh)
  const jumps = await jumpsOf(parseJumpHosts(ssh.jump ?? sshConfig?.jump ?? []), {
    wanted,
    ask,
    trail: [nameOf(target)],
  })
  return { jumps, target }
}

/**
 * Returns the values for the program ssh about a server; undefined if only the built-in client may connect. Throws for
 * options that this one does not support.
 */
function opensshOptions(facts: {
  readonly question: SshConfigRequest
  readonly ssh: SshTarget
  readonly sshConfig: SshConfig | undefined
  /** The part of `ssh` that overrides ssh_config for this server. */
  readonly overridden: Overridden
}): Pick<Destination, 'openssh'> {
  const { question, ssh, sshConfig, overridden } = facts
  const unsupported = unsupportedOptions(sshConfig, overridden)
  if (ssh.transport === undefined || ssh.transport === 'builtin') {
    rejectUnsupported(question.label, unsupported, { jump: overridden !== ssh })
    return {}
  }
  const gssapi = sshConfig?.gssapi === true && ssh.identity === undefined ? ['GSSAPIAuthentication'] : []
  const openssh = {
    wanted: ssh.transport === 'openssh',
    reasons: [...unsupported.flatMap(({ options }) => options), ...gssapi],
    question,
    undone: sshConfig?.undone ?? [],
    variables: sshConfig?.variables ?? [],
    globalKnownHosts: sshConfig?.globalKnownHosts ?? [systemKnownHosts],
    ...omitUndefined({ knownHosts: ssh.knownHosts, proxyCommand: sshConfig?.writtenProxyCommand }),
  }
  return { openssh }
}

const nameOf = ({ user, address, port }: Destination): string => `${user}@${address}:${port}`

/** Removes undefined members. */
const omitUndefined = <T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }

/**
 * Resolves jump hosts: ssh_config may put the first one behind others. `trail` are the jump hosts behind it.
 */
async function jumpsOf(
  jumps: readonly JumpHost[],
  way: { readonly wanted: HostConnection; readonly ask: SshConfigLookup; readonly trail: readonly string[] },
): Promise<readonly Destination[]> {
  const { wanted, ask } = way
  const found: Destination[] = []
  for (const [index, jump] of jumps.entries()) {
    const label = `the jump host ${jump.host}`
    const { ssh } = wanted
    const question = { label, ...jump, ...omitUndefined({ config: ssh.config }) }
    const sshConfig = await ask(question)
    const overridden = omitUndefined({ identity: ssh.identity })
    const openssh = opensshOptions({ question, ssh, sshConfig, overridden })
    const to = jumpOf(jump, wanted, { sshConfig, openssh })
    const trail = [...way.trail, ...found.map(nameOf)]
    if (trail.includes(nameOf(to))) throw jumpCycleError(wanted.host, [...trail, nameOf(to)])
    if (index > 0) {
      const { proxyCommand: _, ...direct } = to
      found.push(direct)
      continue
    }
    const before = parseJumpHosts(sshConfig?.jump ?? [])
    found.push(...(await jumpsOf(before, { wanted, ask, trail: [...trail, nameOf(to)] })), to)
  }
  return found
}

function targetOf(
  { host, address, ssh, env }: HostConnection,
  sshConfig: SshConfig | undefined,
  openssh: Pick<Destination, 'openssh'>,
): Destination {
  const direct =
    ssh.jump === undefined
      ? connectionOptions(sshConfig)
      : connectionOptions(sshConfig, 'without ProxyCommand')
  const alias = sshConfig?.hostKeyAlias
  return {
    label: host,
    jump: false,
    address: address === host ? (sshConfig?.hostname ?? address) : address,
    port: ssh.port ?? sshConfig?.port ?? defaultPort,
    user: ssh.user ?? sshConfig?.user ?? env.user,
    keys:
      ssh.identity === undefined
        ? defaultKeys(env, sshConfig)
        : onlyKey(ssh.identity, socketOf(env, sshConfig)),
    check: {
      files: ssh.knownHosts === undefined ? defaultKnownHosts(env, sshConfig) : [ssh.knownHosts],
      names: [...new Set([address === host ? (sshConfig?.hostname ?? address) : address, host])],
      ...(ssh.hostKey === undefined ? {} : { pinned: ssh.hostKey }),
      ...(alias === undefined ? {} : { alias }),
      ...omitUndefined({ lenient: sshConfig?.lenient, hashed: sshConfig?.hashed }),
    },
    timeout: ssh.timeout ?? sshConfig?.timeout ?? defaultTimeout,
    ...openssh,
    ...direct,
  }
}

/**
 * Builds a jump host's destination. It also gets the key and the known_hosts file of its host, since the YAML
 * has no other place for them; not the user, as for `ssh -J`.
 */
function jumpOf(
  { user, host, port }: JumpHost,
  { ssh, env }: HostConnection,
  facts: { readonly sshConfig: SshConfig | undefined; readonly openssh: Pick<Destination, 'openssh'> },
): Destination {
  const { sshConfig, openssh } = facts
  const usual = defaultKeys(env, sshConfig)
  const files = defaultKnownHosts(env, sshConfig)
  const alias = sshConfig?.hostKeyAlias
  return {
    label: `the jump host ${host}`,
    jump: true,
    address: sshConfig?.hostname ?? host,
    port: port ?? sshConfig?.port ?? defaultPort,
    user: user ?? sshConfig?.user ?? env.user,
    keys: ssh.identity === undefined ? usual : { ...usual, first: [ssh.identity] },
    check: {
      files: ssh.knownHosts === undefined ? files : [ssh.knownHosts, ...files],
      names: [...new Set([sshConfig?.hostname ?? host, host])],
      ...(alias === undefined ? {} : { alias }),
      ...omitUndefined({ lenient: sshConfig?.lenient, hashed: sshConfig?.hashed }),
    },
    timeout: ssh.timeout ?? sshConfig?.timeout ?? defaultTimeout,
    ...openssh,
    ...connectionOptions(sshConfig),
  }
}

type ConnectionOptions = Pick<Destination, 'proxyCommand' | 'localAddress' | 'family'>

const connectionOptions = (
  sshConfig: SshConfig | undefined,
  without?: 'without ProxyCommand',
): ConnectionOptions =>
  omitUndefined({
    proxyCommand: without === undefined ? sshConfig?.proxyCommand : undefined,
    localAddress: sshConfig?.bindAddress,
    family: sshConfig?.family,
  })

/** Returns IdentityAgent, else SSH_AUTH_SOCK. */
function socketOf(
  { agentSocket }: SshEnvironment,
  sshConfig: SshConfig | undefined,
): Pick<LoginKeyOptions, 'socket'> {
  const socket = sshConfig?.agent ?? agentSocket
  return socket === undefined || socket === 'none' ? {} : { socket }
}

const onlyKey = (path: string, socket: Pick<LoginKeyOptions, 'socket'>): LoginKeyOptions => ({
  first: [path],
  files: [],
  agent: 'listed',
  required: true,
  ...socket,
})

const defaultKeys = (env: SshEnvironment, sshConfig: SshConfig | undefined): LoginKeyOptions => ({
  first: [],
  files: sshConfig?.identities ?? defaultKeyNames.map((name) => join(env.home, '.ssh', name)),
  agent: sshConfig?.identitiesOnly === true ? 'listed' : 'all',
  required: false,
  ...socketOf(env, sshConfig),
})

const systemKnownHosts = '/etc/ssh/ssh_known_hosts'

const defaultKnownHosts = (
  { home }: SshEnvironment,
  sshConfig: SshConfig | undefined,
): HostKeyOptions['files'] => sshConfig?.knownHosts ?? [join(home, '.ssh', 'known_hosts'), systemKnownHosts]

const jumpCycleError = (host: string, trail: readonly string[]): TransportError =>
  new TransportError({
    host,
    code: 'ssh-config',
    message: `the jump hosts of ${host} form a cycle: ${[...trail].reverse().join(' -> ')}`,
    fix: 'Correct ProxyJump in ssh_config, or jump under ssh: a "Host *" with ProxyJump also applies to the jump host.',
  })
