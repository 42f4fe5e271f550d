import { hostAddress } from '../types/addresses.ts'
import { listOfType } from '../types/list.ts'
import { clusterName, hostName } from '../types/names.ts'
import { choice } from '../types/texts.ts'
import { type Setting, setting } from './setting.ts'

const hosts = listOfType(hostName, 'a list of hosts')

/** What stands at the top of the file beside its groups. */
export const file = {
  cluster: setting({
    name: 'cluster',
    scope: 'file',
    type: clusterName,
    documentation: 'Name of the cluster; it becomes part of the names of services and files on the hosts.',
  }),
} as const

/** What stands in a service beside its options. */
export const service = {
  topology: setting({
    name: 'topology',
    scope: 'service',
    type: choice(['clustered', 'replicator']),
    documentation:
      'clustered: members run manager and replicator, connectors the connector. replicator: members run only the replicator.',
  }),
  master: setting({
    name: 'master',
    scope: 'service',
    type: hostName,
    documentation: 'The member that takes the writes.',
  }),
  members: setting({
    name: 'members',
    scope: 'service',
    type: hosts,
    documentation: 'Hosts that hold the data.',
  }),
  connectors: setting({
    name: 'connectors',
    scope: 'service',
    type: hosts,
    documentation: 'Hosts that run the connector.',
  }),
  witnesses: setting({
    name: 'witnesses',
    scope: 'service',
    type: hosts,
    documentation: 'Hosts that run a manager only.',
  }),
} as const

/** What stands in a host beside its options and ssh settings. */
export const host = {
  address: setting({
    name: 'address',
    scope: 'host',
    type: hostAddress,
    documentation: 'IP address or DNS name of the host. Absent: its name; 127.0.0.1 with connection: local.',
  }),
  connection: setting({
    name: 'connection',
    scope: 'host',
    type: choice(['ssh', 'local']),
    default: 'ssh',
    documentation: 'How to reach it; local means this machine, without SSH.',
  }),
} as const

export const allFile: readonly Setting<unknown>[] = Object.values(file)
export const allService: readonly Setting<unknown>[] = Object.values(service)
export const allHost: readonly Setting<unknown>[] = Object.values(host)
