import { duration } from '../types/duration.ts'
import { oneOrMore } from '../types/list.ts'
import { boolean, portLike } from '../types/scalars.ts'
import { secretReference } from '../types/secretReference.ts'
import { fingerprint, jumpHost, loginUser, path } from '../types/texts.ts'
import { type Setting, setting } from './setting.ts'

const scope = 'ssh'

/** The keys of `ssh`, for all hosts or one (options.md, "The file"). */
export const ssh = {
  user: setting({
    name: 'user',
    scope,
    type: loginUser,
    documentation: 'User to log in as. Absent: from your ssh_config, else your own name.',
  }),
  port: setting({
    name: 'port',
    scope,
    type: portLike(22),
    documentation: 'Port of the SSH server. Absent: from your ssh_config, else 22.',
  }),
  identity: setting({
    name: 'identity',
    scope,
    type: path,
    documentation:
      'Private key file, relative to the file; ~/ is your home. Absent: from your ssh_config, else the agent, then the usual keys of ~/.ssh.',
  }),
  knownHosts: setting({
    name: 'known-hosts',
    scope,
    type: path,
    documentation:
      'File of known host keys. Absent: from your ssh_config, else ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts.',
  }),
  hostKey: setting({
    name: 'host-key',
    scope,
    type: fingerprint,
    documentation: 'Pinned fingerprint of the host key; if set, only this key is accepted.',
  }),
  jump: setting({
    name: 'jump',
    scope,
    type: oneOrMore(jumpHost, 'a host to go through, or a list of them'),
    documentation:
      'Host or hosts to go through, in this order, each as [user@]host[:port]; none for no jump host. Absent: from your ssh_config. They use the key and the known hosts of this host in addition to your own, not its user. All hosts behind one share its connection.',
  }),
  config: setting({
    name: 'config',
    scope,
    type: path,
    documentation:
      'File of ssh_config(5) with the settings for the host, by its name and its address; settings under ssh in this file override it. Absent: the files that ssh itself reads, such as ~/.ssh/config.',
  }),
  become: setting({
    name: 'become',
    scope,
    type: boolean,
    default: false,
    documentation: 'Whether to run everything through sudo.',
  }),
  becomePassword: setting({
    name: 'become-password',
    scope,
    secret: true,
    type: secretReference,
    documentation:
      'Password for sudo, passed on its standard input if it asks for one. Absent: sudo must not ask, or --ask-become-pass asks you.',
  }),
  timeout: setting({
    name: 'timeout',
    scope,
    type: duration,
    documentation: 'Time limit for a connection. Absent: ConnectTimeout of your ssh_config, else 10s.',
  }),
} as const

export const allSsh: readonly Setting<unknown>[] = Object.values(ssh)
