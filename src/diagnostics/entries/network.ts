import { listOf, shortListOf } from '../../base/words.ts'
import { error } from '../entry.ts'

/** Ports, and who can reach them. */
export const networkEntries = {
  'port-clash': error((facts: { port: number; option: string; other: string; hosts: readonly string[] }) => ({
    message: `Port ${facts.port} is used twice on ${shortListOf(facts.hosts)}: by ${facts.other} and by ${facts.option}.`,
    why: 'Only one of the two can listen on it.',
    fix: 'Give one of them a different port, or an address that does not overlap.',
  })),
  'local-port-clash': error((facts: { host: string; other: string; ports: readonly string[] }) => ({
    message: `${facts.host} and ${facts.other} are both this machine and listen on the same ports: ${listOf(facts.ports)}.`,
    why: 'Only one of them can listen on each.',
    fix: `Give ${facts.host} different ports, for example: options: { manager-rest-api-port: 18090 }`,
  })),
  'privileged-port': error((facts: { port: number; user: string | undefined; hosts: readonly string[] }) => ({
    message: `Port ${facts.port} cannot be opened on ${shortListOf(facts.hosts)}: the services run ${facts.user === undefined ? 'without root' : `as ${facts.user}`}.`,
    why: 'Ports below 1024 are reserved for root; only a systemd service can be allowed to open one.',
    fix: 'Choose port 1024 or above, or remove service-manager: process.',
  })),
  'open-without-admin': error((facts: { component: string; address: string; hosts: readonly string[] }) => ({
    message: `The ${facts.component} API of ${shortListOf(facts.hosts)} is open to the network (${facts.address}) and has no administrator.`,
    why: 'An API without users refuses every call but ping, and its first user must be created by hand.',
    fix: 'Add under defaults: rest-api-admin-user: admin',
  })),
} as const
