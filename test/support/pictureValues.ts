import fc from 'fast-check'
import type { ClusterKnowledge, KnownHost } from '../../src/client/clusterPicture.ts'
import type { SeenConnector, SeenService } from '../../src/client/clusterView.ts'
import { shownPayload } from '../../src/client/shownPayload.ts'
import { components } from '../../src/contracts/component.ts'
import { ShownConnector } from '../../src/contracts/connectorPayloads.ts'
import { connectorExamples } from '../../src/contracts/examples/connectorExamples.ts'
import { dataSourceRoles, dataSourceStates } from '../../src/contracts/servicesMap.ts'
import { primary, replica, report, service } from '../output/clusterViews.ts'

/** Moment at which the pictures of tests are taken. */
export const pictureTime = new Date('2026-01-02T03:04:05.000Z')

export const onlineConnector: SeenConnector = {
  ...shownPayload(ShownConnector, connectorExamples.connectorStatus.response),
  created: 40,
  datasources: [
    { service: 'alpha', name: 'db1', active: 9, created: 30 },
    { service: 'alpha', name: 'db2', active: 3, created: 10 },
  ],
}

/** A host on which all is well. */
export const wellHost = (name: string, changes: Partial<KnownHost> = {}): KnownHost => ({
  name,
  address: `10.0.0.1${name.slice(-1)}`,
  state: 'up',
  detail: null,
  release: '1.0.0-0123456789ab',
  certificateExpires: '2027-01-02T03:04:05.000Z',
  certificateWarningDays: 30,
  components: components.map((component) => ({ component, state: 'ready', reason: null, listen: null })),
  connector: onlineConnector,
  clients: { service: 'alpha', readWrite: '127.0.0.1:9999', readOnly: null },
  ...changes,
})

/** The knowledge of a cluster of two hosts on which all is well. */
export const wellKnown = (changes: Partial<ClusterKnowledge> = {}): ClusterKnowledge => ({
  name: 'alpha-cluster',
  now: pictureTime,
  map: [],
  reports: [report('db1', service(primary, replica)), report('db2', service(primary, replica))],
  hosts: [wellHost('db1'), wellHost('db2')],
  ...changes,
})

const name = fc.constantFrom('db1', 'db2', 'db3', 'db4')

const source = fc.record({
  name,
  role: fc.constantFrom(...dataSourceRoles),
  state: fc.constantFrom(...dataSourceStates),
  by: fc.constantFrom('manager', 'admin'),
  code: fc.constantFrom(null, 'not-replicating', 'of-a-later-release'),
  reason: fc.option(fc.string({ maxLength: 20 })),
  connections: fc.option(fc.record({ active: fc.nat(9), created: fc.nat(9) })),
  appliedLatency: fc.option(fc.nat(100)),
})

const seenService = fc
  .record({
    name: fc.constantFrom('alpha', 'beta'),
    policy: fc.constantFrom('AUTOMATIC' as const, 'MANUAL' as const, 'MAINTENANCE' as const),
    writer: fc.record({
      datasource: fc.option(name),
      code: fc.constantFrom(null, 'no-writer'),
      reason: fc.option(fc.string({ maxLength: 20 })),
      hold: fc.boolean(),
    }),
    failover: fc.option(
      fc.record({ automatic: fc.boolean(), reason: fc.option(fc.string({ maxLength: 20 })) }),
    ),
    datasources: fc.uniqueArray(source, { selector: (it) => it.name, maxLength: 4 }),
  })
  .map((it): SeenService => ({ ...it, datasources: it.datasources.map((one) => ({ ...primary, ...one })) }))

const reports = fc.uniqueArray(
  fc.record({
    host: name,
    services: fc.uniqueArray(seenService, { selector: (it) => it.name, maxLength: 2 }),
    reason: fc.option(fc.constantFrom('unreachable', 'failed'), { nil: undefined }),
  }),
  { selector: ({ host }) => host, maxLength: 4 },
)

const knownHost = fc
  .record({
    name,
    state: fc.constantFrom('up' as const, 'unreachable' as const, 'failed' as const, 'unknown' as const),
    detail: fc.option(fc.string({ maxLength: 20 })),
    connector: fc.option(fc.constant(onlineConnector)),
    component: fc.constantFrom('ready' as const, 'silent' as const, 'not-ready' as const),
  })
  .map(({ component: state, ...it }) =>
    wellHost(it.name, {
      ...it,
      components: components.map((component) => ({ component, state, reason: null, listen: null })),
    }),
  )

/** Any knowledge of a cluster of up to four hosts. */
export const anyKnowledge: fc.Arbitrary<ClusterKnowledge> = fc
  .record({
    reports,
    hosts: fc.uniqueArray(knownHost, { selector: (it) => it.name, maxLength: 4 }),
  })
  .map((some) =>
    wellKnown({
      ...some,
      reports: some.reports.map(({ reason, ...it }) => (reason === undefined ? it : { ...it, reason })),
    }),
  )
