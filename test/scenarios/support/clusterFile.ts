import { userInfo } from 'node:os'
import type { Component } from '../../../src/contracts/component.ts'

/** A host as a test describes it. */
export type HostWish = {
  readonly name: string
  readonly address: string
  readonly directory: string
  readonly ports: Readonly<Record<Component, number>>
  readonly clusterPort: number
  readonly ssh: Readonly<Record<string, string | number | boolean>>
  /** Further options of this host. */
  readonly options?: Readonly<Record<string, string | number | boolean>>
}

export type ClusterDescription = {
  readonly hosts: readonly HostWish[]
  /** Options of every host. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>
  /** Hosts that run a connector; all unless told. The first host alone runs manager and replicator. */
  readonly connectors?: readonly string[]
  /** `replicator`: the first host runs the replicator alone. */
  readonly topology?: 'clustered' | 'replicator'
}

/** The login that everything in these tests runs as: no system user is created. */
export const login = userInfo().username

/** A tag such as `!env NAME` and a map in braces stay what they are; JSON's strings are YAML's. */
const scalar = (value: string | number | boolean): string =>
  typeof value === 'string' && /^[!{]/.test(value) ? value : JSON.stringify(value)

const lines = (values: Readonly<Record<string, string | number | boolean>>, indent: string): string =>
  Object.entries(values)
    .map(([name, value]) => `${indent}${name}: ${scalar(value)}\n`)
    .join('')

/** The YAML file of a cluster. */
export function clusterFile({
  hosts,
  defaults = {},
  topology = 'clustered',
  ...wanted
}: ClusterDescription): string {
  const names = hosts.map(({ name }) => name)
  const componentsOf = ({ name }: HostWish, first: boolean): readonly Component[] => [
    ...(first && topology === 'clustered' ? (['manager'] as const) : []),
    ...(connectors.includes(name) ? (['connector'] as const) : []),
    ...(first ? (['replicator'] as const) : []),
  ]
  const connectors = wanted.connectors ?? (topology === 'clustered' ? names : [])
  const all = { 'rest-api-admin-user': 'admin', 'service-manager': 'process', user: login, ...defaults }
  return `cluster: alpha
defaults:
${lines(all, '  ')}services:
  alpha:
    topology: ${topology}
    master: ${names[0]}
    members: [${names[0]}]
${connectors.length === 0 ? '' : `    connectors: [${connectors.join(', ')}]\n`}hosts:
${hosts.map((host, index) => hostText(host, componentsOf(host, index === 0))).join('')}`
}

function hostText(
  { name, address, directory, ports, clusterPort, ssh, options }: HostWish,
  runs: readonly Component[],
): string {
  const apis = runs
    .map((component) => [component, ports[component]] as const)
    .flatMap(([component, port]) => [
      [`${component}-rest-api-address`, address],
      [`${component}-rest-api-port`, port],
    ])
  const channel = runs.includes('manager') ? { 'cluster-port': clusterPort } : {}
  const all = { 'install-directory': directory, ...Object.fromEntries(apis), ...channel, ...options }
  return `  ${name}:
    address: ${address}
    ssh:
${lines(ssh, '      ')}    options:
${lines(all, '      ')}`
}
