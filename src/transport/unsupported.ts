import type { SshConfig } from './sshConfig.ts'
import type { SshTarget } from './sshTarget.ts'
import { TransportError } from './transportError.ts'

/**
 * Throws where ssh_config asks for something that cannot be done here: going on without it would be another
 * login than the one that was asked for. What the YAML says instead makes up for it.
 */
export function refuseUnsupported(
  label: string,
  said: SshConfig | undefined,
  ssh: Pick<SshTarget, 'identity' | 'hostKey' | 'jump'>,
  jump: boolean,
): void {
  if (said === undefined) return
  const { keys, hostKeys, way } = said.refused
  const refuse = (options: readonly string[], fix: string): void => {
    if (options.length === 0) return
    throw new TransportError({
      host: label,
      code: 'ssh-config',
      message: `ssh_config says ${options.join(' and ')} for ${label}, which cannot be followed here`,
      fix,
    })
  }
  if (ssh.identity === undefined) {
    refuse(keys, 'Name a plain private key as identity under ssh: it counts instead.')
  }
  if (ssh.hostKey === undefined) {
    refuse(
      hostKeys,
      jump
        ? 'Put the key of the jump host into known_hosts and take the option away for it.'
        : 'Pin the fingerprint of the host key as host-key under ssh: it counts instead.',
    )
  }
  if (ssh.jump === undefined) refuse(way, 'Say how to get there with address and jump in the YAML instead.')
}
