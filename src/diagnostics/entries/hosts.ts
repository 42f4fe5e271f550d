import { shortListOf } from '../../base/words.ts'
import { error, warning } from '../entry.ts'

/** Hosts: names, addresses and folders. */
export const hostEntries = {
  'duplicate-host': error((facts: { host: string; other: string }) => ({
    message: `${facts.host} and ${facts.other} are the same host name.`,
    why: 'Host names are not case-sensitive.',
    fix: 'Remove one of them, or give it another name.',
  })),
  'duplicate-address': error((facts: { host: string; other: string; address: string }) => ({
    message: `${facts.host} has the address ${facts.address}, which ${facts.other} already has.`,
    why: 'Both would be installed on the same machine, and the second would overwrite the first.',
    fix: 'Correct one of the two addresses.',
  })),
  'network-address': error((facts: { name: string; address: string; kind: string }) => ({
    message: `${facts.address} is ${facts.kind}, not the address of one host.`,
    why: `${facts.name} needs an address that a network interface can have.`,
    fix: 'Write the address of the host itself, such as 10.0.0.11; 0.0.0.0 listens on all interfaces.',
  })),
  'relative-directory': error((facts: { hosts: readonly string[] }) => ({
    message: 'install-directory is not an absolute path.',
    why: `A relative path works only with connection: local; ${shortListOf(facts.hosts)} ${facts.hosts.length === 1 ? 'is' : 'are'} reached over SSH.`,
    fix: 'Use an absolute path, such as /opt/muster',
  })),
  'bad-directory': error((facts: { reason: string }) => ({
    message: `install-directory ${facts.reason}.`,
    why: 'muster creates this folder and removes it on uninstall.',
    fix: 'Choose a dedicated folder, such as /opt/muster',
  })),
  'local-directory-clash': error((facts: { host: string; other: string; directory: string }) => ({
    message: `${facts.host} and ${facts.other} are both this machine and share the install-directory ${facts.directory}.`,
    why: 'The second would overwrite the first.',
    fix: `Give ${facts.host} its own: options: { install-directory: … }`,
  })),
  'ssh-without-effect': warning((facts: { host: string }) => ({
    message: `The ssh settings of ${facts.host} have no effect.`,
    why: 'With connection: local the host is this machine and is not reached over SSH.',
    fix: 'Remove them, or remove connection: local',
  })),
} as const
