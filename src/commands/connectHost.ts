import { readFile } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import type { HostConfig } from '../config/model.ts'
import { askSsh } from '../transport/askSsh.ts'
import { connectLocal } from '../transport/local.ts'
import { createOnce } from '../transport/once.ts'
import { startProxyWith } from '../transport/proxyCommand.ts'
import type { Wanted } from '../transport/route.ts'
import { createSshConnector, type SshConnector } from '../transport/ssh.ts'
import type { SshEnvironment } from '../transport/sshTarget.ts'
import type { Transport } from '../transport/transport.ts'
import { askPassphrase } from './askHidden.ts'
import { becomePassword } from './becomePassword.ts'
import type { CommandContext } from './context.ts'
import { usualSshConfig } from './usualSshConfig.ts'

const isLocal = ({ connection, via = connection }: HostConfig): boolean => via === 'local'

/** Opens the way to a host: a shell on this machine, or one over SSH. Rejects with a `TransportError`. */
export async function connectHost(context: CommandContext, host: HostConfig): Promise<Transport> {
  const { name } = host
  if (isLocal(host)) return connectLocal({ host: name, env: context.env })
  return connectorOf(context).connect(await wantedOf(context, host))
}

/**
 * Finds the ways to hosts and asks for what only a person knows, before anything is drawn on the terminal.
 * Rejects with `Interrupted`, or `SecretError` or `UsageError` for a password of sudo that is not to be had; what
 * is wrong with a way is told by `connectHost`.
 */
export async function prepareConnections(
  context: CommandContext,
  hosts: readonly HostConfig[],
): Promise<void> {
  const connector = connectorOf(context)
  const remote = hosts.filter((host) => !isLocal(host))
  const wanted = await Promise.all(remote.map((host) => wantedOf(context, host)))
  // Where nobody can be asked, each host finds its way while others connect.
  if (context.stdin.isTTY === true) await Promise.all(wanted.map((one) => connector.prepare(one)))
}

/** Hosts of one command share jump hosts, keys and what a person was asked; a command has one context. */
const connectors = new WeakMap<CommandContext, SshConnector>()

function connectorOf(context: CommandContext): SshConnector {
  const known = connectors.get(context)
  if (known !== undefined) return known
  const { env } = context
  const ssh = environmentOf(context)
  const connector = createSshConnector({
    readFile: (path) => readFile(path),
    askSsh: askSsh({
      env,
      ssh,
      usual: usualSshConfig(ssh.home),
      sshHome: userInfo().homedir,
      once: createOnce(),
    }),
    startProxy: startProxyWith(env),
    askPassphrase: (path) => askPassphrase(context, path),
  })
  connectors.set(context, connector)
  return connector
}

async function wantedOf(context: CommandContext, host: HostConfig): Promise<Wanted> {
  const { name, address } = host
  const { becomePassword: reference, ...ssh } = host.ssh
  const env = environmentOf(context)
  const wanted = { host: name, address, ssh, env }
  if (!ssh.become || reference === undefined) return wanted
  return { ...wanted, becomePassword: await becomePassword(context, reference) }
}

function environmentOf({ env }: CommandContext): SshEnvironment {
  const agentSocket = env.SSH_AUTH_SOCK
  return {
    home: env.HOME ?? homedir(),
    user: env.USER ?? userInfo().username,
    variables: env,
    ...(agentSocket ? { agentSocket } : {}),
  }
}
