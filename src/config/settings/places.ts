import { hostAddress } from '../types/addresses.ts'
import { listOfType } from '../types/listTypes.ts'
import { choice, clusterName, hostName } from '../types/texts.ts'
import { type Setting, setting } from './setting.ts'
import { webhooks } from './webhooks.ts'

const hosts = listOfType(hostName, 'a list of hosts')

/** Settings at the top of the file. */
export const file = {
  cluster: setting({
    name: 'cluster',
    scope: 'file',
    type: clusterName,
  }),
  notify: setting({
    name: 'notify',
    scope: 'file',
    type: webhooks,
    default: [],
  }),
} as const

/** Settings of a service beside its options. */
export const service = {
  topology: setting({
    name: 'topology',
    scope: 'service',
    type: choice(['clustered', 'replicator']),
  }),
  master: setting({
    name: 'master',
    scope: 'service',
    type: hostName,
  }),
  members: setting({
    name: 'members',
    scope: 'service',
    type: hosts,
  }),
  connectors: setting({
    name: 'connectors',
    scope: 'service',
    type: hosts,
  }),
  witnesses: setting({
    name: 'witnesses',
    scope: 'service',
    type: hosts,
  }),
} as const

/** Settings of a host beside its options and ssh settings. */
export const host = {
  address: setting({
    name: 'address',
    scope: 'host',
    type: hostAddress,
  }),
  connection: setting({
    name: 'connection',
    scope: 'host',
    type: choice(['ssh', 'local']),
    default: 'ssh',
  }),
} as const

export const allFile: readonly Setting<unknown>[] = Object.values(file)
export const allService: readonly Setting<unknown>[] = Object.values(service)
export const allHost: readonly Setting<unknown>[] = Object.values(host)
