import { readFile } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import type { HostConfig } from '../config/model.ts'
import { connectLocal } from '../transport/local.ts'
import { connectSsh } from '../transport/ssh.ts'
import type { Transport } from '../transport/transport.ts'
import type { CommandContext } from './context.ts'

/** Opens the way to a host: a shell on this machine, or one over SSH. Rejects with a `TransportError`. */
export function connectHost(context: CommandContext, host: HostConfig): Promise<Transport> {
  const { env } = context
  if (host.connection === 'local') return connectLocal({ host: host.name, env })
  const agentSocket = env.SSH_AUTH_SOCK
  return connectSsh({
    host: host.name,
    address: host.address,
    ssh: host.ssh,
    env: {
      home: env.HOME ?? homedir(),
      user: env.USER ?? userInfo().username,
      ...(agentSocket ? { agentSocket } : {}),
    },
    readFile: (path) => readFile(path),
  })
}
