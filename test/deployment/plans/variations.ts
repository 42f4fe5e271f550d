import fc from 'fast-check'

/** Ways to configure and to find hosts, as far as an installation depends on them. */
export type Variation = {
  readonly count: number
  readonly topology: 'clustered' | 'replicator'
  readonly witness: boolean
  /** Hosts that run a connector, by number. */
  readonly connectors: readonly number[]
  readonly manager: 'auto' | 'systemd' | 'process'
  readonly root: boolean
  readonly local: boolean
  readonly databases: boolean
  readonly stores: 'made' | 'made, with passwords' | 'own' | 'on the host'
  readonly admin: 'none' | 'made' | 'given'
  readonly address: '127.0.0.1' | '0.0.0.0'
  readonly switchedOff: boolean
  readonly runtime: 'auto' | 'upload'
  readonly hostNode: boolean
  /** One host after another instead of all at once. */
  readonly apart: boolean
}

export const variations: fc.Arbitrary<Variation> = fc.record({
  count: fc.integer({ min: 1, max: 3 }),
  topology: fc.constantFrom('clustered', 'replicator'),
  witness: fc.boolean(),
  connectors: fc.subarray([1, 2, 3]),
  manager: fc.constantFrom('auto', 'systemd', 'process'),
  root: fc.boolean(),
  local: fc.boolean(),
  databases: fc.boolean(),
  stores: fc.constantFrom('made', 'made, with passwords', 'own', 'on the host'),
  admin: fc.constantFrom('none', 'made', 'given'),
  address: fc.constantFrom('127.0.0.1', '0.0.0.0'),
  switchedOff: fc.boolean(),
  runtime: fc.constantFrom('auto', 'upload'),
  hostNode: fc.boolean(),
  apart: fc.boolean(),
})

/** Where the operator's own stores lie, here or on each host. */
export const ownStorePath = '/stores/host.p12'
export const ownTrustPath = '/stores/trust.p12'
export const storePassword = 'one of the stores'

/** The file that says it. */
export function fileOf(variation: Variation): string {
  const { count, topology, connectors, databases, stores, admin, address, local } = variation
  const names = Array.from({ length: count }, (_, index) => `db${index + 1}`)
  const clustered = topology === 'clustered'
  const witness = variation.witness && clustered && count > 1 ? names.at(-1) : undefined
  const members = names.filter((name) => name !== witness)
  const own = connectors.map((number) => `db${number}`).filter((name) => names.includes(name))
  const prefix = stores === 'on the host' ? 'host:' : ''
  const options: Record<string, string | boolean> = {
    'service-manager': variation.root ? variation.manager : 'process',
    runtime: variation.runtime,
    'manager-rest-api-address': admin === 'none' ? '127.0.0.1' : address,
    'replicator-rest-api': !variation.switchedOff,
    ...(admin === 'none' ? {} : { 'rest-api-admin-user': 'admin' }),
    ...(admin === 'given' ? { 'rest-api-admin-pass': 'correct horse battery' } : {}),
    ...(stores === 'own' || stores === 'on the host'
      ? { 'java-tls-keystore-path': prefix + ownStorePath, 'java-truststore-path': prefix + ownTrustPath }
      : {}),
    ...(stores === 'made'
      ? {}
      : { 'java-keystore-password': storePassword, 'java-truststore-password': storePassword }),
    ...(databases
      ? {
          'datasource-type': 'mariadb',
          'replication-user': 'muster',
          'replication-password': 'secret of the replication',
          'monitor-user': 'monitor',
          'monitor-password': 'secret of the monitor',
        }
      : {}),
  }
  return `cluster: alpha
defaults:
${Object.entries(options)
  .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`)
  .join('')}services:
  alpha:
    topology: ${topology}
    master: db1
    members: [${members.join(', ')}]
${clustered && own.length > 0 ? `    connectors: [${own.join(', ')}]\n` : ''}${witness === undefined ? '' : `    witnesses: [${witness}]\n`}hosts:
${names
  .map((name, index) => {
    const here = local && count === 1 ? ', connection: local' : ''
    return `  ${name}: { address: 10.0.0.${index + 11}${here} }\n`
  })
  .join('')}`
}
