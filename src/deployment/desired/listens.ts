import type { ApiConfig, HostConfig } from '../../config/model.ts'
import type { Component } from '../../contracts/component.ts'

/** One TCP listener of a component, and the options that it comes from. */
export type Listen = {
  readonly component: Component
  /** For a sentence: `the manager`, `the clients of the connector`. */
  readonly of: string
  readonly address: string
  readonly port: number
  readonly portOption: string
  readonly addressOption: string
}

/** The first port that a user other than root may listen on, unless the host was told otherwise (ip(7)). */
export const firstFreePort = 1024

/** All that one component of a host opens: its API unless that is off, and a connector's ports for clients. */
export function listensOf({ proxy }: HostConfig, api: ApiConfig): readonly Listen[] {
  const { component, address, port } = api
  const own: Listen = {
    component,
    of: `the ${component}`,
    address,
    port,
    portOption: `${component}-rest-api-port`,
    addressOption: `${component}-rest-api-address`,
  }
  const opened = api.enabled ? [own] : []
  if (component !== 'connector' || proxy === undefined) return opened
  const clients = {
    component,
    of: "the connector's clients",
    address: proxy.address,
    addressOption: 'application-address',
  }
  const { port: primary, readonlyPort: replicas } = proxy
  return [
    ...opened,
    { ...clients, port: primary, portOption: 'application-port' },
    ...(replicas === null ? [] : [{ ...clients, port: replicas, portOption: 'application-readonly-port' }]),
  ]
}
