import { describe, expect, it } from 'vitest'
import { afterEvent, connectorOf, reportOf, type SeenManager } from '../../src/client/seenManager.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import type { ManagerEventPayload, ServiceStatusPayload } from '../../src/contracts/managerPayloads.ts'

const time = '2026-01-02T03:04:05.000Z'
const service = managerExamples.managerServiceStatus.response as ServiceStatusPayload
const [first] = service.datasources
if (first === undefined) throw new Error('the example has no data source')

const snapshot: ManagerEventPayload = {
  ...{ kind: 'snapshot', time, cluster: 'alpha', host: 'db1' },
  manager: managerExamples.managerStatus.response,
  services: [service],
  tasks: [],
  connector: null,
}
const known = (): SeenManager => {
  const seen = afterEvent(undefined, snapshot)
  if (seen === undefined) throw new Error('a snapshot tells nothing')
  return seen
}

describe('a manager whose events are followed', () => {
  it('is unknown until its first snapshot', () => {
    expect(afterEvent(undefined, { kind: 'datasource', time, datasource: first })).toBeUndefined()
  })

  it('has the new value of what an event tells of, and all else as before', () => {
    const before = known()
    const changed = afterEvent(before, {
      ...{ kind: 'datasource', time },
      datasource: { ...first, state: 'FAILED', reason: 'gone\u001b[2J' },
    })
    const sources = changed?.services[0]?.datasources ?? []
    expect(sources[0]).toMatchObject({ name: first.name, state: 'FAILED' })
    expect(sources[0]?.reason).not.toContain('\u001b')
    expect(sources.slice(1)).toEqual(before.services[0]?.datasources.slice(1))
    expect(before.services[0]?.datasources[0]?.state).toBe(first.state)
  })

  it('keeps the data sources of a service whose policy or writer changes', () => {
    const { datasources, ...own } = service
    const event = { kind: 'service', time, service: { ...own, policy: 'MANUAL' } } as const
    const changed = afterEvent(known(), event)?.services[0]
    expect(changed?.policy).toBe('MANUAL')
    expect(changed?.datasources).toHaveLength(datasources.length)
  })

  it('reports its services as most managers are compared by, and the counts of its connector', () => {
    const status = {
      ...{ value: 'ONHOLD' as const, since: time, by: 'admin', reason: null, active: 1, held: 2, created: 3 },
      expiresAt: null,
    } as const
    const seen = afterEvent(known(), { kind: 'connector', time, connector: { name: 'db1', status } })
    if (seen === undefined) throw new Error('the connector was lost')
    expect(connectorOf(seen)).toMatchObject({ value: 'ONHOLD', held: 2 })
    expect(reportOf('db1', seen)).toMatchObject({ host: 'db1', services: [{ name: service.name }] })
    const gone = afterEvent(seen, { kind: 'connector', time, connector: { name: 'db1', status: null } })
    expect(gone && connectorOf(gone)).toBeNull()
  })
})
