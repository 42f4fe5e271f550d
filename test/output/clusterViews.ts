import { unreportedSource } from '../../src/client/clusterPicture.ts'
import {
  joinReports,
  type ManagerReport,
  type SeenService,
  type ServiceView,
  seenService,
} from '../../src/client/clusterView.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'

type Source = SeenService['datasources'][number]

const example = managerExamples.managerDatasourceStatus.response
const { service: _service, managersAgree: _agree, ...unreported } = unreportedSource('alpha', example)

/** A member that no test is about is null: tables leave out its column. */
export const replica: Source = {
  ...{ ...unreported, state: 'ONLINE', since: '2026-01-02T03:04:05.000Z', by: 'installation' },
  ...{ appliedLatency: 3, follows: 'db1' },
}
export const primary: Source = {
  ...{ ...replica, name: 'db1', host: '10.0.0.11' },
  ...{ role: 'primary', appliedLatency: null, follows: null },
}
export const shunned: Source = { ...replica, state: 'SHUNNED', reason: 'an operator repairs it' }

/** The service of a manager that sees db1 as its writer. */
export const service = (...datasources: readonly Source[]): SeenService => ({
  ...seenService(managerExamples.managerServiceStatus.response),
  datasources,
})

/** The service of a manager that sees no writer. */
export const withoutWriter = (...datasources: readonly Source[]): SeenService => ({
  ...service(...datasources),
  writer: { datasource: null, code: 'two-writers', reason: 'db1 and db2 can both be written', hold: true },
})

export const report = (host: string, ...services: readonly SeenService[]): ManagerReport => ({
  host,
  services,
})
export const silent = (host: string, reason = 'unreachable'): ManagerReport => ({
  host,
  services: [],
  reason,
})

/** One service that all managers see alike, and one that each sees in a way of its own. */
export const disputed: readonly ServiceView[] = [
  ...joinReports([report('db1', service(primary, replica)), report('db2', service(primary, replica))]),
  ...joinReports([
    report('db1', { ...service(primary, replica), name: 'beta' }),
    report('db2', {
      ...withoutWriter(primary, { ...replica, role: 'primary', appliedLatency: null }),
      name: 'beta',
    }),
    report('db3', { ...service(primary, shunned), name: 'beta' }),
    report('db4'),
    silent('db5'),
    silent('db6'),
  ]),
]
