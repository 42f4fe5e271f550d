import type { HostConfig } from '../../config/model.ts'
import { parseJumpHosts } from '../../transport/route.ts'
import { plainWord, quote, withoutTokens, word } from '../../transport/sshArguments.ts'

type Ssh = HostConfig['ssh']

/**
 * Returns the options of ssh(1) with which another program reaches a host as muster does, beside its address, user, port
 * and key. Throws a `TransportError`, code `ssh-config`, for a path that ssh cannot be given.
 */
export function sshOptions({ name, ssh }: Pick<HostConfig, 'name' | 'ssh'>): readonly string[] {
  return [
    ...fileOptions(ssh),
    ...(ssh.knownHosts === undefined ? [] : ['-o', `UserKnownHostsFile=${word(name, ssh.knownHosts)}`]),
    ...(ssh.jump === undefined ? [] : wayOptions(proxyThrough(ssh.jump, ssh))),
  ]
}

const fileOptions = ({ config }: Ssh): readonly string[] => (config === undefined ? [] : ['-F', config])

/** Without a jump host nothing of ssh_config leads the way either, as for muster. */
const wayOptions = (proxy: string | undefined): readonly string[] =>
  proxy === undefined ? ['-o', 'ProxyJump=none'] : ['-o', `ProxyCommand=${proxy}`, '-o', 'ProxyUseFdpass=no']

/**
 * Returns the ProxyCommand through jump hosts; undefined for none. ProxyJump would pass on neither the key nor the known
 * hosts of the host.
 */
const proxyThrough = (jump: readonly string[], ssh: Ssh): string | undefined =>
  parseJumpHosts(jump).reduce<string | undefined>((before, { user, host, port }) => {
    const words = [
      ...fileOptions(ssh),
      ...jumpFiles(host, ssh),
      // The way to the first jump host is that of ssh_config.
      ...(before === undefined ? [] : wayOptions(before)),
      ...(port === undefined ? [] : ['-p', String(port)]),
      ...(user === undefined ? [] : ['-l', user]),
    ]
    // ssh fills in where it would connect to itself, after it has read ssh_config.
    return ['ssh', ...words.map(escaped), '-W', quote('[%h]:%p'), '--', escaped(host)].join(' ')
  }, undefined)

const escaped = (text: string): string => withoutTokens(quote(text))

/** Keys that ssh tries by default, unless others are given (ssh_config(5), IdentityFile). */
const usualKeys = ['~/.ssh/id_ed25519', '~/.ssh/id_ecdsa', '~/.ssh/id_rsa']

const usualSystemFile = '/etc/ssh/ssh_known_hosts'

/** A jump host gets the key and the known hosts of its host in addition to those that it has from ssh_config. */
function jumpFiles(jump: string, { identity, knownHosts }: Ssh): readonly string[] {
  const label = `the jump host ${jump}`
  const keys = identity === undefined ? [] : [identity, ...usualKeys]
  return [
    ...keys.flatMap((file) => ['-o', `IdentityFile=${word(label, file)}`]),
    ...(knownHosts === undefined
      ? []
      : ['-o', `GlobalKnownHostsFile=${plainWord(label, knownHosts)} ${usualSystemFile}`]),
  ]
}
