import { describe, expect, it } from 'vitest'
import type { ManagerReport, SeenService } from '../../../src/client/clusterView.ts'
import type { HostConfig } from '../../../src/config/model.ts'
import type { DrillSight } from '../../../src/contracts/drilling.ts'
import { flawsOf, othersOf, planDrill } from '../../../src/deployment/drill/planDrill.ts'
import { primary, replica, report, service, silent, withoutWriter } from '../../output/clusterViews.ts'
import { hostConfig, proxy } from '../../support/deploymentValues.ts'
import { drillPlan } from '../../support/drillValues.ts'

const names = ['db1', 'db2', 'db3'] as const
const [db1, db2, db3] = [
  primary,
  { ...replica, name: 'db2', host: '10.0.0.12' },
  { ...replica, name: 'db3', host: '10.0.0.13' },
] as const
const hosts: readonly HostConfig[] = names.map((name, at) =>
  hostConfig({ name, address: `10.0.0.1${at + 1}`, proxy: { ...proxy, port: 9999 } }),
)
const services = [
  {
    name: 'alpha',
    datasources: [db1, db2, db3].map(({ name, host, port, role }) => ({ name, host, port, role })),
  },
]
const sight: DrillSight = { ledger: 'none', database: 'mariadb' }

const healthy: SeenService = { ...service(db1, db2, db3), failover: { automatic: true, reason: null } }
const alike = (seen: SeenService): readonly ManagerReport[] => names.map((name) => report(name, seen))
const reasonsOf = (reports: readonly ManagerReport[]): readonly string[] =>
  flawsOf('alpha', reports).map(({ host, reason }) => `${host ?? 'alpha'}: ${reason}`)

describe('a service', () => {
  it('is whole where all managers see all of it ONLINE, and would replace its primary', () => {
    expect(reasonsOf(alike(healthy))).toEqual([])
  })

  it('is not whole without each of that, with the words of its managers', () => {
    const failed = { ...db3, state: 'FAILED', reason: 'no answer' } as const
    expect(reasonsOf(alike({ ...healthy, datasources: [db1, db2, failed] }))).toEqual([
      'db3: it is FAILED: no answer',
    ])
    const byHand = { automatic: false, reason: 'The policy is MANUAL.' }
    expect(reasonsOf(alike({ ...healthy, failover: byHand }))).toEqual([
      'alpha: the managers would not replace a lost primary by themselves: The policy is MANUAL.',
    ])
    const { writer } = withoutWriter(db1)
    expect(reasonsOf(alike({ ...healthy, writer }))).toEqual([
      'alpha: it has no writer: db1 and db2 can both be written',
    ])
    const switching = { ...healthy.writer, switching: { from: 'db1', to: 'db2' } }
    expect(reasonsOf(alike({ ...healthy, writer: switching }))).toEqual([
      'alpha: a switch from db1 to db2 is under way',
    ])
    expect(reasonsOf([...alike(healthy).slice(1), silent('db1', 'refused')])).toEqual([
      'db1: its manager did not report: refused',
    ])
    expect(reasonsOf([report('db1')])).toEqual(['alpha: no manager reports it'])
    const other = { ...healthy, datasources: [db1, db2, failed] }
    expect(reasonsOf([report('db1', healthy), report('db2', healthy), report('db3', other)])).toEqual([
      'db3: the managers see it in different states',
    ])
    expect(
      reasonsOf([
        report('db1', healthy),
        report('db2', { ...healthy, writer: { ...writer, datasource: 'db2' } }),
      ]),
    ).toContain('alpha: its managers differ about the writer or the policy')
  })
})

describe('the plan of a drill', () => {
  const plan = (changes: Partial<Parameters<typeof planDrill>[0]> = {}) =>
    planDrill({
      ...{ service: 'alpha', fault: 'kill', host: null, hosts, services, reports: alike(healthy) },
      sights: new Map(names.map((name) => [name, sight])),
      ...changes,
    })
  const refusalsOf = (changes: Parameters<typeof plan>[0]): readonly string[] => {
    const found = plan(changes)
    return 'fault' in found ? [] : found.map(({ host, reason }) => `${host ?? 'alpha'}: ${reason}`)
  }

  it('is for the primary, with rows through the connector of another host', () => {
    expect(plan()).toEqual(drillPlan)
    expect(plan({ host: 'db2', fault: 'hang' })).toMatchObject({
      ...{ host: 'db2', fault: 'hang', primary: 'db1' },
      through: { host: 'db1' },
    })
  })

  it('removes what an earlier drill left, and nothing that somebody else made', () => {
    expect(plan({ sights: new Map([['db1', { ...sight, ledger: 'own' }]]) })).toMatchObject({
      hasRemains: true,
    })
    expect(refusalsOf({ sights: new Map([['db3', { ...sight, ledger: 'foreign' }]]) })).toEqual([
      'db3: its server has a database or an account muster_drill that no drill has made',
    ])
  })

  it('names a MySQL that is killed as the primary: it may come back with commits that were acknowledged to nobody', () => {
    const sights = new Map(names.map((name) => [name, { ...sight, database: 'mysql' } as const]))
    expect(plan({ sights })).toMatchObject({ host: 'db1', mayStayAway: true })
    expect(plan({ sights, host: 'db2' })).toMatchObject({ host: 'db2', mayStayAway: false })
    expect(plan({ sights, fault: 'hang' })).toMatchObject({ host: 'db1', mayStayAway: false })
  })

  it('is refused for what the hosts say', () => {
    const refusal = 'you log in from 10.0.0.12, which is an address of db2'
    expect(refusalsOf({ fault: 'cut', sights: new Map([['db1', { ...sight, refusal }]]) })).toEqual([
      `db1: ${refusal}`,
    ])
    const failed = { reason: 'its login is not root', fix: 'Log in as root.' }
    expect(refusalsOf({ sights: new Map([['db2', failed]]) })).toEqual(['db2: its login is not root'])
  })

  it('is refused without a connector on another host, and of the only replica', () => {
    const [first] = hosts
    expect(refusalsOf({ hosts: first ? [first] : [] })).toEqual([
      'alpha: no host but db1 has a connector that leads to it',
    ])
    const two = { ...healthy, datasources: [db1, db2] }
    expect(refusalsOf({ host: 'db2', reports: alike(two) })).toEqual([
      'db2: it is the only replica, for which all commits of db1 would wait',
    ])
    expect(refusalsOf({ host: 'db9' })).toEqual(['db9: it has no database of alpha'])
  })

  it('cuts a host off from all addresses of the others: of the hosts and of their servers', () => {
    const server = { name: 'db2', host: '192.0.2.2', port: 3306, role: 'replica' } as const
    const elsewhere = [{ name: 'alpha', datasources: [server] }]
    expect(othersOf('db1', { service: 'alpha', hosts, services: elsewhere })).toEqual([
      { name: 'db2', address: '10.0.0.12' },
      { name: 'db3', address: '10.0.0.13' },
      { name: 'db2', address: '192.0.2.2' },
    ])
  })
})
