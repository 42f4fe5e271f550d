import { error, warning } from '../entry.ts'
import { listOf, shortListOf } from '../words.ts'

/** Services and who belongs to them. */
export const topologyEntries = {
  'unknown-host': error((facts: { host: string; field: string; nearest: string | undefined }) => ({
    message: `${facts.host} is named in ${facts.field} but is not one of the hosts.`,
    why: 'Nothing says how to reach it, so it would get no components.',
    fix:
      facts.nearest === undefined
        ? `Add it under hosts:, for example "${facts.host}: { address: 10.0.0.11 }".`
        : `Did you mean ${facts.nearest}? Otherwise add it under hosts:.`,
  })),
  'unused-host': warning((facts: { host: string }) => ({
    message: `${facts.host} belongs to no service.`,
    why: 'No component runs on it, so muster leaves this host alone.',
    fix: 'Add it to the members, connectors or witnesses of a service, or remove it.',
  })),
  'named-twice': error((facts: { host: string; field: string }) => ({
    message: `${facts.host} is named twice in ${facts.field}.`,
    why: 'A host is a member once; the second one is probably meant to be another host.',
    fix: 'Remove it, or write the host that was meant.',
  })),
  'master-not-member': error((facts: { host: string; members: readonly string[] }) => ({
    message: `The master ${facts.host} is not one of the members.`,
    why: 'The master is the member that takes the writes; a host outside the service cannot be it.',
    fix:
      facts.members.length === 0
        ? `Add ${facts.host} to the members.`
        : `Add ${facts.host} to the members, or name one of ${shortListOf(facts.members)}.`,
  })),
  'master-missing': error((facts: { service: string; members: readonly string[] }) => ({
    message: `The service ${facts.service} has ${facts.members.length} members and no master.`,
    why: 'Nothing says which of them takes the writes.',
    fix: `Add for example: master: ${facts.members[0] ?? 'db1'}`,
  })),
  'even-managers': warning((facts: { service: string; count: number }) => ({
    message: `The service ${facts.service} has ${facts.count} managers and no witness.`,
    why: 'Two equal halves have no majority. The managers that muster installs elect nobody; others that do need an odd number.',
    fix: 'Add a host that runs a manager only: witnesses: [HOST]',
  })),
  'topology-mismatch': error((facts: { field: string; service: string }) => ({
    message: `${facts.field} has no meaning for ${facts.service}, whose topology is replicator.`,
    why: 'Members of such a service run the replicator alone: there is no manager and no connector.',
    fix: `Remove ${facts.field}, or write topology: clustered`,
  })),
  'witness-is-member': error((facts: { host: string; service: string }) => ({
    message: `${facts.host} is a witness and a member of ${facts.service}.`,
    why: 'A witness is a host with a manager and no database; a member has a manager already.',
    fix: 'Remove it from one of the two lists, or name another host as the witness.',
  })),
  'replicator-not-alone': error((facts: { host: string; service: string; other: string }) => ({
    message: `${facts.host} is a member of ${facts.service}, whose topology is replicator, and belongs to ${facts.other} too.`,
    why: 'A member of a replicator service exposes the replicator alone, so the two contradict each other.',
    fix: `Remove ${facts.host} from one of the two services.`,
  })),
  'service-conflict': error(
    (facts: { name: string; hosts: readonly string[]; services: readonly string[] }) => ({
      message: `The services ${listOf(facts.services)} give ${facts.name} different values for ${shortListOf(facts.hosts)}.`,
      why: 'A host has one value, and neither service comes before the other.',
      fix: 'Give the value in the options of the host, which win over those of its services.',
    }),
  ),
  'option-without-effect': warning((facts: { name: string; host: string; component: string }) => ({
    message: `${facts.name} has no effect: ${facts.host} runs no ${facts.component}.`,
    why: 'The option is about a component that its services do not put on this host.',
    fix:
      facts.component === 'connector'
        ? 'Remove it, or add the host to the connectors of a service.'
        : 'Remove it, or add the host to the members of a service.',
  })),
} as const
