import { join } from 'node:path'
import type { Destination, KeyCheck, KeyWish, Route } from './destination.ts'
import { type JumpHost, parseJumpHosts } from './jumpHost.ts'
import { defaultPort, defaultTimeout, type SshEnvironment, type SshTarget } from './sshTarget.ts'

/** Private keys that are tried where nobody names one; of those of security tokens it is told that they are there. */
const usualNames = ['id_ed25519', 'id_ecdsa', 'id_rsa']

/** A host of the YAML and what it says of the way there. */
export type Wanted = {
  /** Name in the YAML. */
  readonly host: string
  /** What is dialled: a name or an IP address. */
  readonly address: string
  readonly ssh: SshTarget
  readonly env: SshEnvironment
}

/** The way to a host as the YAML alone says it. */
export const routeOf = (wanted: Wanted): Route => ({
  jumps: parseJumpHosts(wanted.ssh.jump ?? []).map((jump) => jumpOf(jump, wanted)),
  target: targetOf(wanted),
})

function targetOf({ host, address, ssh, env }: Wanted): Destination {
  return {
    label: host,
    jump: false,
    address,
    port: ssh.port ?? defaultPort,
    user: ssh.user ?? env.user,
    keys: ssh.identity === undefined ? usualKeys(env) : onlyKey(ssh.identity, env),
    check: {
      files: ssh.knownHosts === undefined ? usualKnownHosts(env) : [ssh.knownHosts],
      names: [address, host],
      ...(ssh.hostKey === undefined ? {} : { pinned: ssh.hostKey }),
    },
    timeout: ssh.timeout ?? defaultTimeout,
  }
}

/**
 * A jump host takes the key and the known_hosts file of the host behind it besides the usual ones, since the
 * YAML has no other place for them; not its user, which stands before the name as for `ssh -J`.
 */
function jumpOf({ user, host, port }: JumpHost, { ssh, env }: Wanted): Destination {
  const usual = usualKeys(env)
  return {
    label: `the jump host ${host}`,
    jump: true,
    address: host,
    port: port ?? defaultPort,
    user: user ?? env.user,
    keys: ssh.identity === undefined ? usual : { ...usual, first: [ssh.identity] },
    check: { files: knownHostsOfJump(ssh, usualKnownHosts(env)), names: [host] },
    timeout: ssh.timeout ?? defaultTimeout,
  }
}

const socketOf = ({ agentSocket }: SshEnvironment): Pick<KeyWish, 'socket'> =>
  agentSocket === undefined ? {} : { socket: agentSocket }

const onlyKey = (path: string, env: SshEnvironment): KeyWish => ({
  first: [path],
  files: [],
  agent: 'listed',
  required: true,
  ...socketOf(env),
})

const usualKeys = (env: SshEnvironment): KeyWish => ({
  first: [],
  files: usualNames.map((name) => join(env.home, '.ssh', name)),
  agent: 'all',
  required: false,
  ...socketOf(env),
})

const usualKnownHosts = ({ home }: SshEnvironment): KeyCheck['files'] => [
  join(home, '.ssh', 'known_hosts'),
  '/etc/ssh/ssh_known_hosts',
]

const knownHostsOfJump = ({ knownHosts }: SshTarget, usual: KeyCheck['files']): KeyCheck['files'] =>
  knownHosts === undefined ? usual : [knownHosts, ...usual]
