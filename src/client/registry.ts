import type { Component } from '../contracts/component.ts'

/** One host as tapi needs to know it. */
export type RegisteredHost = {
  readonly name: string
  readonly address: string
  /** The enabled APIs: where each listens. */
  readonly apis: readonly { readonly component: Component; readonly address: string; readonly port: number }[]
}

/** What install records of a cluster in the user's configuration directory; no secrets. */
export type RegisteredCluster = {
  readonly version: 1
  readonly cluster: string
  /** The folder of the YAML file: two clusters of one name differ by it. */
  readonly directory: string
  /** PEM certificates of the authorities that sign the hosts' certificates. */
  readonly authorities: readonly string[]
  readonly hosts: readonly RegisteredHost[]
}
