import { describe, expect, it } from 'vitest'
import { auditRuns, joinRuns } from '../../src/web/auditRuns.ts'

const line = (more: object = {}): string =>
  JSON.stringify({
    ...{ time: '2026-11-23T10:00:00.000Z', requestId: 'r1', cluster: 'alpha', host: 'db1' },
    ...{ component: 'manager', door: 'tcp', caller: 'user', user: 'ada', call: 'managerShun' },
    ...{ parameters: { service: 'alpha', datasource: 'db3' }, status: 200, changed: true },
    ...more,
  })

describe('what the audit log of a host tells', () => {
  it('is an entry of each call, the newest first', () => {
    const later = line({ requestId: 'r2', call: 'managerAutomatic', parameters: { service: 'alpha' } })
    expect(auditRuns([line(), later])).toMatchObject([
      { id: 'r2', what: 'managerAutomatic alpha' },
      {
        ...{ id: 'r1', time: '2026-11-23T10:00:00.000Z', what: 'managerShun alpha/db3', by: 'ada' },
        ...{ at: 'db1', hosts: ['db1'], result: 'succeeded', detail: null },
      },
    ])
  })

  it('says why a call failed, and who made it where that was no user', () => {
    const [refused, local] = auditRuns([
      line({ user: undefined, caller: 'socket' }),
      line({ status: 403, code: 'access-denied' }),
    ])
    expect(refused).toMatchObject({ result: 'failed', detail: '403 access-denied', by: 'ada' })
    expect(local).toMatchObject({ by: 'root or the service user' })
  })

  it('leaves out lines that somebody else wrote, and shows no control character of one', () => {
    const others = ['', 'x', '[]', 'null', line({ time: 'soon' }), line({ status: '200' })]
    expect(auditRuns(others)).toEqual([])
    expect(auditRuns([line({ user: 'a\u001b[2Jb', host: 7 })])).toMatchObject([{ by: 'a\\x1b[2Jb', at: '' }])
  })
})

describe('what was done on a cluster', () => {
  const entry = (more: object) => auditRuns([line(more)])

  it('is one entry for the same call on several hosts at once', () => {
    const joined = joinRuns([
      ...entry({ host: 'db2', time: '2026-11-23T10:00:01.000Z' }),
      ...entry({ host: 'db1' }),
      ...entry({ host: 'db1', time: '2026-11-23T11:00:00.000Z' }),
    ])
    expect(joined.map(({ time, hosts }) => [time.slice(11, 19), hosts])).toEqual([
      ['11:00:00', ['db1']],
      ['10:00:00', ['db1', 'db2']],
    ])
  })

  it('tells what failed, and who else did the same, apart', () => {
    const joined = joinRuns([
      ...entry({ host: 'db1' }),
      ...entry({ host: 'db2', status: 403, code: 'access-level' }),
      ...entry({ host: 'db3', user: 'bob' }),
    ])
    expect(joined).toHaveLength(3)
  })

  it('leaves out the calls that managers make for a switch', () => {
    expect(joinRuns(entry({ call: 'hold', parameters: { service: 'alpha' } }))).toEqual([])
  })

  it('has a failover that managers made by themselves, which became true', () => {
    const parameters = { service: 'alpha', operation: 'failover', from: 'db2', to: 'db1', by: 'manager' }
    const released = (primary: string, more = {}) =>
      entry({
        call: 'release',
        caller: 'host',
        user: undefined,
        parameters: { ...parameters, primary, ...more },
      })
    expect(joinRuns(released('db1'))).toMatchObject([
      { what: 'failover alpha/db2/db1', by: 'the managers', result: 'succeeded', detail: null },
    ])
    const others = [released('db2'), released('db1', { operation: 'switch' }), released('db1', { by: 'ada' })]
    expect(joinRuns(others.flat())).toEqual([])
  })
})
