import { existsSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { readBoundedFile } from '../base/boundedFile.ts'
import type { CommandContext } from '../cli/context.ts'
import { askHidden, askPassphrase } from '../cli/promptHidden.ts'
import { type SecretReading, secretReader } from '../cli/secretReader.ts'
import { UsageError } from '../cli/usageError.ts'
import { type HostConfig, isReachedLocally } from '../config/model.ts'
import type { SecretReference } from '../secrets/reference.ts'
import type { Secret } from '../secrets/secret.ts'
import type { Route } from '../transport/destination.ts'
import { readKnownHosts } from '../transport/hostKeys/hostKeyFiles.ts'
import type { KnownHost } from '../transport/hostKeys/knownHosts.ts'
import { createOnce } from '../transport/once.ts'
import { startProxyWith } from '../transport/proxyCommand.ts'
import type { HostConnection } from '../transport/route.ts'
import {
  concurrentHandshakes,
  connectUnlessStopped,
  createSshConnector,
  type SshConnector,
} from '../transport/ssh.ts'
import { createSshConfigLookup } from '../transport/sshConfigLookup.ts'
import type { SshEnvironment } from '../transport/sshTarget.ts'
import type { Transport } from '../transport/transport.ts'
import { defaultSshConfig } from './defaultSshConfig.ts'
import { tracedTransport } from './tracedTransport.ts'

/**
 * Connects to a host: a shell on this machine, or one over SSH. Rejects with a `TransportError`; its code is `stopped`
 * after Ctrl-C.
 */
export const connectHost = (context: CommandContext, host: HostConfig): Promise<Transport> =>
  connectUnlessStopped({ host: host.name, signal: context.signal }, () =>
    context.verbosity === 'verbose' ? openTraced(context, host) : openConnection(context, host),
  )

async function openTraced(context: CommandContext, host: HostConfig): Promise<Transport> {
  const began = performance.now()
  const report = (line: string) => context.stderr.write(line)
  const opened = await openConnection(context, host)
  const seconds = ((performance.now() - began) / 1000).toFixed(2)
  report(`${host.name}: connected ${await wayOf(context, host)}(${seconds} s)\n`)
  return tracedTransport(opened, report)
}

/** Names the system's ssh with the reasons for it; empty for the built-in client. */
async function wayOf(context: CommandContext, host: HostConfig): Promise<string> {
  if (isReachedLocally(host)) return ''
  const { reasonsForOpenssh, routeOf } = connectorOf(context)
  const reasons = await reasonsForOpenssh(await routeOf(await connectionOf(context, host)))
  return reasons.length === 0 ? '' : `by the system's ssh: ${reasons.join(', ')} `
}

async function openConnection(context: CommandContext, host: HostConfig): Promise<Transport> {
  const { name } = host
  if (isReachedLocally(host)) {
    const { connectLocal } = await import('../transport/local.ts')
    return connectLocal({ host: name, env: context.env })
  }
  return connectorOf(context).connect(await connectionOf(context, host))
}

/**
 * Finds the routes to hosts and prompts for passwords and passphrases before progress is drawn. Rejects with
 * `Interrupted`, or with `SecretError` or `UsageError` for an unavailable sudo password; problems of a route are left
 * to `connectHost`.
 */
export async function prepareConnections(
  context: CommandContext,
  hosts: readonly HostConfig[],
): Promise<void> {
  const connector = connectorOf(context)
  const remote = hosts.filter((host) => !isReachedLocally(host))
  const connection = await Promise.all(remote.map((host) => connectionOf(context, host)))
  // Without a terminal, each host resolves its route while others connect.
  if (context.stdin.isTTY === true) await Promise.all(connection.map((one) => connector.prepare(one)))
}

/** Hosts of one command share jump hosts, keys and the answers of the user; a command has one context. */
const connectors = new WeakMap<CommandContext, SshConnector>()

function connectorOf(context: CommandContext): SshConnector {
  const known = connectors.get(context)
  if (known !== undefined) return known
  const connector = newConnector(context, defaultOf(context))
  connectors.set(context, connector)
  return connector
}

/** Bytes of a key file or a known_hosts file; one of ten thousand hosts has a tenth of it. */
const largestSshFile = 64 * 1024 * 1024

const readSshFile = async (path: string): Promise<Buffer> =>
  (await readBoundedFile(path, { maxBytes: largestSshFile })).content

/** Logins at a time: a third of the hosts in progress where the user asks for more of these than is usual. */
const handshakesOf = ({ forks = 0 }: CommandContext): number =>
  Math.max(concurrentHandshakes, Math.ceil(forks / 3))

function newConnector(context: CommandContext, usual: string | undefined): SshConnector {
  const { env } = context
  const ssh = environmentOf(context)
  const own = usualSshConfig(context)
  return createSshConnector({
    readFile: readSshFile,
    askSsh: createSshConfigLookup({ env, ssh, usual, sshHome: userInfo().homedir, once: createOnce() }),
    startProxy: startProxyWith(env),
    openssh: { env, usual: own === undefined ? {} : { file: own } },
    askPassphrase: (path) => askPassphrase(context, path),
    handshakes: handshakesOf(context),
  })
}

/** Reads keys of SSH servers and entries of known_hosts. */
export type HostKeyReader = Pick<SshConnector, 'hostKeysOf' | 'reasonsForOpenssh'> & {
  /** The way to a host. Rejects with `TransportError`, code `ssh-config`. */
  routeOf(host: HostConfig): Promise<Route>
  /** Returns the current entries of known_hosts files. */
  entriesOf(files: readonly string[]): Promise<readonly KnownHost[]>
}

function defaultOf(context: CommandContext): string | undefined {
  const { home, hasTicket = false } = environmentOf(context)
  return defaultSshConfig(home, { hasTicket })
}

/** Returns the file of ssh_config for the program ssh, or `none`; undefined for the files that it reads itself. */
export function usualSshConfig(context: CommandContext): string | undefined {
  const { home } = environmentOf(context)
  return home === userInfo().homedir ? undefined : defaultOf(context)
}

/** A reader of host keys. It asks ssh in any case: how names are written down is for ssh_config to say. */
export function hostKeyReader(context: CommandContext): HostKeyReader {
  const env = environmentOf(context)
  const { hostKeysOf, reasonsForOpenssh, routeOf } = newConnector(context, usualSshConfig(context))
  return {
    hostKeysOf,
    reasonsForOpenssh,
    routeOf: ({ name, address, ssh: { becomePassword: _, ...ssh } }) =>
      routeOf({ host: name, address, ssh, env }),
    entriesOf: (files) => readKnownHosts(files, { readFile: readSshFile, once: createOnce() }),
  }
}

async function connectionOf(context: CommandContext, host: HostConfig): Promise<HostConnection> {
  const { name, address } = host
  const { becomePassword: reference, ...ssh } = host.ssh
  const env = environmentOf(context)
  const connection = { host: name, address, ssh, env }
  if (!ssh.become || reference === undefined) return connection
  return { ...connection, becomePassword: await becomePassword(context, reference) }
}

function environmentOf({ env }: CommandContext): SshEnvironment {
  const agentSocket = env.SSH_AUTH_SOCK
  return {
    home: env.HOME ?? homedir(),
    user: env.USER ?? userInfo().username,
    variables: env,
    ...(agentSocket ? { agentSocket } : {}),
    // The cache that kinit fills if nobody names one.
    hasTicket: Boolean(env.KRB5CCNAME) || existsSync(`/tmp/krb5cc_${userInfo().uid}`),
  }
}

type Sources = {
  readonly read: (reference: SecretReference) => Promise<SecretReading>
  readonly ask: () => Promise<Secret>
}

/** A command reads each source once, and asks once for all hosts. */
const sources = new WeakMap<CommandContext, Sources>()

function sourcesOf(context: CommandContext): Sources {
  const known = sources.get(context)
  if (known !== undefined) return known
  let asked: Promise<Secret> | undefined
  const made: Sources = {
    read: secretReader(context, { policy: 'all' }),
    ask: () => {
      asked ??= ask(context)
      return asked
    },
  }
  sources.set(context, made)
  return made
}

async function ask(context: CommandContext): Promise<Secret> {
  const fix = 'Set become-password under ssh, with !env, !file or !exec.'
  if (context.stdin.isTTY !== true) {
    throw new UsageError('There is no terminal to ask for the sudo password.', fix)
  }
  const given = await askHidden(context, 'sudo password for the hosts')
  if (given === undefined) throw new UsageError('No sudo password was given.', fix)
  return given
}

/**
 * The password of sudo, from where the file says or from a person. Rejects with `SecretError`, `UsageError` or
 * `Interrupted`.
 */
async function becomePassword(context: CommandContext, reference: SecretReference | 'ask'): Promise<Secret> {
  const { read, ask: prompt } = sourcesOf(context)
  if (reference === 'ask') return prompt()
  const reading = await read(reference)
  if ('failure' in reading) throw reading.failure
  return reading.secret
}
