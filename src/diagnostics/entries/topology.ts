import { listOf, shortListOf } from '../../base/words.ts'
import { error, warning } from '../entry.ts'

/** Services and their hosts. */
export const topologyEntries = {
  'unknown-host': error((facts: { host: string; field: string; nearest: string | undefined }) => ({
    message: `${facts.host} is in ${facts.field} but not in hosts.`,
    why: 'Its address is unknown, so nothing can be installed on it.',
    fix:
      facts.nearest === undefined
        ? `Add it under hosts, for example "${facts.host}: { address: 10.0.0.11 }".`
        : `Did you mean ${facts.nearest}? Otherwise add it under hosts.`,
  })),
  'unused-host': warning((facts: { host: string }) => ({
    message: `${facts.host} belongs to no service.`,
    why: 'It runs no component, so muster ignores this host.',
    fix: 'Add it to the members, connectors or witnesses of a service, or remove it.',
  })),
  'named-twice': error((facts: { host: string; field: string }) => ({
    message: `${facts.host} is listed twice in ${facts.field}.`,
    why: 'A host can be listed once; the second entry is probably meant to be another host.',
    fix: 'Remove it, or correct the host name.',
  })),
  'master-not-member': error((facts: { host: string; members: readonly string[] }) => ({
    message: `The master ${facts.host} is not one of the members.`,
    why: 'The master is the member that takes the writes, so it must be in the service.',
    fix:
      facts.members.length === 0
        ? `Add ${facts.host} to the members.`
        : `Add ${facts.host} to the members, or name one of ${shortListOf(facts.members)}.`,
  })),
  'master-missing': error((facts: { service: string; members: readonly string[] }) => ({
    message: `The service ${facts.service} has ${facts.members.length} members and no master.`,
    why: 'It is not clear which member takes the writes.',
    fix: `Add, for example: master: ${facts.members[0] ?? 'db1'}`,
  })),
  'even-managers': warning((facts: { service: string; count: number }) => ({
    message: `The service ${facts.service} has ${facts.count} managers and no witness.`,
    why: 'Two equal halves have no majority. The managers that muster installs do not elect a primary, but managers that do need an odd number.',
    fix: 'Add a host that runs a manager only: witnesses: [HOST]',
  })),
  'topology-mismatch': error((facts: { field: string; service: string }) => ({
    message: `${facts.field} is not allowed in ${facts.service}: its topology is replicator.`,
    why: 'Members of such a service run only the replicator, no manager and no connector.',
    fix: `Remove ${facts.field}, or write topology: clustered`,
  })),
  'witness-is-member': error((facts: { host: string; service: string }) => ({
    message: `${facts.host} is a witness and a member of ${facts.service}.`,
    why: 'A witness is a host with a manager and no database; a member has a manager already.',
    fix: 'Remove it from one of the two lists, or name another host as the witness.',
  })),
  'replicator-not-alone': error((facts: { host: string; service: string; other: string }) => ({
    message: `${facts.host} is a member of ${facts.service}, whose topology is replicator, and also belongs to ${facts.other}.`,
    why: 'Members of a replicator service run only the replicator, so the two services conflict.',
    fix: `Remove ${facts.host} from one of the two services.`,
  })),
  'service-conflict': error(
    (facts: { name: string; hosts: readonly string[]; services: readonly string[] }) => ({
      message: `The services ${listOf(facts.services)} give ${facts.name} different values for ${shortListOf(facts.hosts)}.`,
      why: 'A host can have one value, and neither service takes precedence.',
      fix: 'Set the value in the options of the host, which override those of its services.',
    }),
  ),
  'option-without-effect': warning((facts: { name: string; host: string; component: string }) => ({
    message: `${facts.name} has no effect: ${facts.host} runs no ${facts.component}.`,
    why: 'The option is for a component that does not run on this host.',
    fix:
      facts.component === 'connector'
        ? 'Remove it, or add the host to the connectors of a service.'
        : 'Remove it, or add the host to the members of a service.',
  })),
} as const
