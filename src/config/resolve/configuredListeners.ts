import { overlaps } from '../../base/address.ts'
import type { Component } from '../../contracts/component.ts'
import { apiOptions } from '../settings/apiOptions.ts'
import { options } from '../settings/options.ts'
import type { Given, Setting } from '../settings/setting.ts'
import { hasDatabase, isLocalAddress } from './dataSources.ts'
import { channelOf } from './followedManagers.ts'
import { hostsByName, type ResolvedHost } from './resolved.ts'

/** A listener on a host, with the option that gives its port. */
export type Listener = {
  /** Owner of the listener; a database is no component. */
  readonly owner: Component | 'database'
  readonly address: string
  readonly port: number
  /** Option that gives the port. */
  readonly option: string
  readonly portGiven?: Given
  readonly addressGiven?: Given
}

type Place = { readonly port: Setting<number>; readonly address: Setting<string> }

function listener(host: ResolvedHost, owner: Listener['owner'], place: Place): readonly Listener[] {
  const port = host.option(place.port)
  const address = host.option(place.address)
  if (port.value === undefined || address.value === undefined) return []
  return [
    {
      owner,
      address: address.value,
      port: port.value,
      option: place.port.name,
      ...(port.given === undefined ? {} : { portGiven: port.given }),
      ...(address.given === undefined ? {} : { addressGiven: address.given }),
    },
  ]
}

/** Lists the enabled APIs of a host. */
export const apisOf = (host: ResolvedHost): readonly (Listener & { readonly owner: Component })[] =>
  host.components.flatMap((component) => {
    if (host.option(apiOptions[component].enabled).value === false) return []
    return listener(host, component, apiOptions[component]).map((one) => ({ ...one, owner: component }))
  })

/** Lists the connector's ports for clients; empty without a service to forward to. */
function applicationsOf(host: ResolvedHost): readonly Listener[] {
  if (host.proxied.length === 0) return []
  return [options.proxy.port, options.proxy.readonlyPort].flatMap((port) =>
    listener(host, 'connector', { port, address: options.proxy.address }),
  )
}

/** Returns the host's own database server, on all its addresses, if the file gives it or a proxy for it. */
function databaseOf(host: ResolvedHost): readonly Listener[] {
  const at = host.option(options.database.host).value ?? ''
  if (!host.components.includes('replicator') || !(isLocalAddress(at) || at === host.address)) return []
  const isConfigured =
    hasDatabase(host) ||
    host.option(options.database.port).given !== undefined ||
    applicationsOf(host).length > 0
  const place = { port: options.database.port, address: options.database.host }
  return isConfigured ? listener(host, 'database', place).map((one) => ({ ...one, address: '0.0.0.0' })) : []
}

/** Returns the listener of a manager for other hosts; empty without any. */
function channelsOf(host: ResolvedHost, hosts: readonly ResolvedHost[]): readonly Listener[] {
  const found = channelOf(host, hostsByName(hosts))
  if (!found) return []
  const { address, port } = found
  const { given } = host.option(options.clusterPort)
  const channel = { owner: 'manager', address, port, option: options.clusterPort.name } as const
  return [given === undefined ? channel : { ...channel, portGiven: given }]
}

/** Lists the listeners of our own components on one of the hosts. */
export const ownListenersOf = (host: ResolvedHost, hosts: readonly ResolvedHost[]): readonly Listener[] => [
  ...apisOf(host),
  ...channelsOf(host, hosts),
  ...applicationsOf(host),
]

/** Lists all known listeners on one of the hosts. */
export const listenersOf = (host: ResolvedHost, hosts: readonly ResolvedHost[]): readonly Listener[] => [
  ...ownListenersOf(host, hosts),
  ...databaseOf(host),
]

/** Returns true if two listeners cannot share one machine. */
export const collide = (a: Listener, b: Listener): boolean =>
  a.port === b.port && overlaps(a.address, b.address)
