import { readFile } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import type { HostConfig } from '../config/model.ts'
import { connectLocal } from '../transport/local.ts'
import { createSshConnector, type SshConnector } from '../transport/ssh.ts'
import type { SshEnvironment } from '../transport/sshTarget.ts'
import type { Transport } from '../transport/transport.ts'
import type { CommandContext } from './context.ts'

/** Hosts of one command share jump hosts, keys and what a person was asked; a command has one context. */
const connectors = new WeakMap<CommandContext, SshConnector>()

function connectorOf(context: CommandContext): SshConnector {
  const known = connectors.get(context)
  if (known !== undefined) return known
  const connector = createSshConnector({ readFile: (path) => readFile(path) })
  connectors.set(context, connector)
  return connector
}

/** Opens the way to a host: a shell on this machine, or one over SSH. Rejects with a `TransportError`. */
export function connectHost(context: CommandContext, host: HostConfig): Promise<Transport> {
  const { name, address, ssh } = host
  if (host.connection === 'local') return connectLocal({ host: name, env: context.env })
  return connectorOf(context).connect({ host: name, address, ssh, env: environmentOf(context) })
}

function environmentOf({ env }: CommandContext): SshEnvironment {
  const agentSocket = env.SSH_AUTH_SOCK
  return {
    home: env.HOME ?? homedir(),
    user: env.USER ?? userInfo().username,
    ...(agentSocket ? { agentSocket } : {}),
  }
}
