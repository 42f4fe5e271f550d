import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pictureOf } from '../../src/client/clusterPicture.ts'
import type { TaskPayload } from '../../src/contracts/managerPayloads.ts'
import { primary, replica, report, service, silent, withoutWriter } from '../output/clusterViews.ts'
import { anyKnowledge, onlineConnector, wellHost, wellKnown } from '../support/pictureValues.ts'

describe('pictureOf', () => {
  it('joins the reports of managers and what hosts and connectors say', () => {
    const { services, datasources, hosts } = pictureOf(wellKnown())
    expect(services).toEqual([
      {
        ...{ name: 'alpha', policy: 'AUTOMATIC', managersAgree: true, task: null },
        failover: { automatic: true, reason: null },
        writer: { datasource: 'db1', code: null, reason: null, hold: false },
      },
    ])
    expect(datasources).toMatchObject([
      { service: 'alpha', name: 'db1', host: '10.0.0.11', port: 3306, role: 'primary', follows: null },
      {
        service: 'alpha',
        name: 'db2',
        role: 'replica',
        appliedLatency: 3,
        follows: 'db1',
        by: 'installation',
      },
    ])
    expect(hosts[0]?.connector).toEqual({
      ...{ value: 'ONLINE', reason: null, active: 12, held: 0, created: 40 },
      clients: { service: 'alpha', readWrite: '127.0.0.1:9999', readOnly: null },
    })
  })

  it('does not depend on the order of the reports', () => {
    const shuffled = anyKnowledge.chain((known) =>
      fc.tuple(
        fc.constant(known),
        fc.shuffledSubarray([...known.reports], { minLength: known.reports.length }),
      ),
    )
    fc.assert(
      fc.property(shuffled, ([known, reports]) => {
        expect(pictureOf({ ...known, reports })).toEqual(pictureOf(known))
      }),
    )
  })

  it('adds up the connections of all connectors, each once', () => {
    const counts = { active: 1, created: 2 }
    const seen = service({ ...primary, connections: counts })
    const reports = [report('db1', seen), report('db2', seen), report('db3', seen)]
    const withOwnWord = wellHost('db1', { connector: onlineConnector })
    const without = [wellHost('db2', { connector: null }), wellHost('db3', { connector: null })]
    const connections = (hosts: readonly ReturnType<typeof wellHost>[]) =>
      pictureOf(wellKnown({ reports, hosts })).datasources[0]?.connections
    expect(connections([withOwnWord, ...without])).toEqual({ active: 11, created: 34 })
    expect(connections(without)).toEqual({ active: 3, created: 6 })
    const nobody = [report('db1', service(primary))]
    expect(pictureOf(wellKnown({ reports: nobody, hosts: [] })).datasources[0]?.connections).toBe(null)
  })

  it('takes the data sources of the map where no manager reports, and no service where none was asked', () => {
    const { name, host, port, role } = primary
    const map = [{ name: 'alpha', datasources: [{ name, host, port, role }] }]
    const unknown = pictureOf(wellKnown({ map, reports: [silent('db1'), silent('db2')] }))
    expect(unknown.datasources).toMatchObject([{ name: 'db1', state: 'UNKNOWN', since: null }])
    expect(unknown.services).toMatchObject([{ name: 'alpha', writer: null, policy: null }])
    expect(pictureOf(wellKnown({ map, reports: [] }))).toMatchObject({ services: [], datasources: [] })
  })

  it('shows the switch that began last', () => {
    const task: TaskPayload = {
      ...{ taskId: '1', state: 'failed', operation: 'switch', service: 'alpha', step: 'check' },
      ...{ startedAt: '2026-01-02T03:00:00.000Z', endedAt: null, result: null, error: 'it failed' },
    }
    const later: TaskPayload = { ...task, taskId: '2', startedAt: '2026-01-02T03:00:01.000Z' }
    const reports = [
      report('db1', { ...service(primary), task: later }),
      report('db2', { ...service(primary), task }),
      report('db3', { ...service(primary), task: null }),
    ]
    expect(pictureOf(wellKnown({ reports })).services[0]?.task?.taskId).toBe('2')
  })

  it('keeps a code of a later release out, since it has no page here', () => {
    const odd = { ...replica, code: 'of-a-later-release', reason: 'It is odd.' }
    expect(pictureOf(wellKnown({ reports: [report('db1', service(odd))] })).datasources).toMatchObject([
      { code: null, reason: 'It is odd.' },
    ])
  })

  it('counts the opinion of the first name where as many managers have another one', () => {
    const reports = [report('db2', withoutWriter(primary)), report('db1', service(primary))]
    expect(pictureOf(wellKnown({ reports })).services[0]).toMatchObject({
      writer: { datasource: 'db1' },
      managersAgree: false,
    })
  })
})
