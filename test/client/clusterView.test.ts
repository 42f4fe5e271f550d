import { describe, expect, it } from 'vitest'
import {
  joinReports,
  managersAgree,
  readReadiness,
  readServiceStatus,
  viewsToJson,
} from '../../src/client/clusterView.ts'
import { envelope } from '../../src/contracts/envelope.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import { primary, replica, report, service, shunned, silent, withoutWriter } from '../output/clusterViews.ts'

describe('joinReports', () => {
  it('shows one row per data source if all managers agree', () => {
    const views = joinReports([
      report('db1', service(primary, replica)),
      report('db2', service(primary, { ...replica, appliedLatency: 4 })),
    ])
    expect(views).toMatchObject([
      {
        name: 'alpha',
        writer: { datasource: 'db1' },
        managersAgree: true,
        unknownTo: [],
        missing: [],
        datasources: [
          { name: 'db1', managersAgree: true },
          { name: 'db2', state: 'ONLINE', appliedLatency: 3, managersAgree: true },
        ],
      },
    ])
    expect(managersAgree(views)).toBe(true)
  })

  it('takes what most managers say, and keeps what each says', () => {
    const views = joinReports([
      report('db1', service(primary, shunned)),
      report('db2', service(primary, replica)),
      report('db3', service(primary, replica)),
    ])
    expect(views[0]?.managersAgree).toBe(true)
    expect(views[0]?.datasources[1]).toMatchObject({
      state: 'ONLINE',
      managersAgree: false,
      managers: [
        { host: 'db1', state: 'SHUNNED' },
        { host: 'db2', state: 'ONLINE' },
        { host: 'db3', state: 'ONLINE' },
      ],
    })
    expect(managersAgree(views)).toBe(false)
  })

  it('takes the first manager of two groups of the same size, in any order of the reports', () => {
    const [db1, db2] = [report('db1', service(primary)), report('db2', withoutWriter(primary))]
    expect(joinReports([db1, db2])[0]?.writer?.datasource).toBe('db1')
    expect(joinReports([db2, db1])[0]?.writer?.datasource).toBe(null)
    expect(managersAgree(joinReports([db1, db2]))).toBe(false)
  })

  it('treats another role as a disagreement, and another reason or latency as none', () => {
    const differs = (other: Partial<typeof primary>): boolean =>
      !managersAgree(
        joinReports([report('db1', service(primary)), report('db2', service({ ...primary, ...other }))]),
      )
    expect(differs({ role: 'replica' })).toBe(true)
    expect(differs({ state: 'UNKNOWN' })).toBe(true)
    expect(differs({ port: 3307 })).toBe(true)
    expect(differs({ reason: 'other words', appliedLatency: 7 })).toBe(false)
  })

  it('treats another policy as a disagreement', () => {
    const other = { ...service(primary), policy: 'MANUAL' } as const
    expect(managersAgree(joinReports([report('db1', service(primary)), report('db2', other)]))).toBe(false)
  })

  it('names the hosts whose manager did not report, which is no disagreement', () => {
    const views = joinReports([report('db1', service(primary)), silent('db2')])
    expect(views[0]?.missing).toEqual([{ host: 'db2', reason: 'unreachable' }])
    expect(managersAgree(views)).toBe(true)
  })

  it('treats a service or a data source that one manager does not have as a disagreement', () => {
    const withoutService = joinReports([report('db1', service(primary)), report('db2')])
    expect(withoutService[0]).toMatchObject({ unknownTo: ['db2'], managersAgree: false })
    const withoutSource = joinReports([
      report('db1', service(primary, replica)),
      report('db2', service(primary)),
    ])
    expect(withoutSource[0]?.datasources[1]).toMatchObject({ unknownTo: ['db2'], managersAgree: false })
    expect([managersAgree(withoutService), managersAgree(withoutSource)]).toEqual([false, false])
  })

  it('keeps the order of the map, and puts behind it what only managers have', () => {
    const beta = { ...service(primary), name: 'beta' }
    const map = [
      { name: 'alpha', datasources: [{ name: 'db1' }, { name: 'db2' }, { name: 'db9' }] },
      { name: 'gamma', datasources: [] },
    ]
    const late = { ...replica, name: 'db0' }
    const views = joinReports([report('db1', beta, service(late, replica, primary))], map)
    expect(views.map(({ name }) => name)).toEqual(['alpha', 'gamma', 'beta'])
    expect(views[0]?.datasources.map(({ name }) => name)).toEqual(['db1', 'db2', 'db0'])
  })
})

describe('readServiceStatus', () => {
  const { response } = managerExamples.managerServiceStatus
  const read = (payload: unknown) => readServiceStatus(envelope('ServiceStatusPayload', payload))

  it('takes the members that are shown, also from a host that sends more', () => {
    const sources = response.datasources.map((it) => ({
      ...it,
      connections: { active: 1, created: 2, later: 3 },
    }))
    const seen = read({
      ...response,
      later: true,
      datasources: sources.map((it) => ({ ...it, later: true })),
    })
    const hidden = ['service', 'checkedAt', 'seqno', 'relativeLatency', 'standby', 'archive', 'witness']
    expect(seen?.datasources).toEqual(
      sources.map((it) => ({
        ...Object.fromEntries(Object.entries(it).filter(([name]) => !hidden.includes(name))),
        connections: { active: 1, created: 2 },
      })),
    )
    expect(Object.keys(seen ?? {})).toEqual(['name', 'policy', 'writer', 'failover', 'datasources'])
  })

  it('takes null for a member that an earlier release does not send', () => {
    const [{ follows: _follows, ...first } = {}] = response.datasources
    expect(read({ ...response, datasources: [first] })?.datasources).toMatchObject([{ follows: null }])
    const { failover: _failover, ...earlier } = response
    expect(read(earlier)).toMatchObject({ failover: null })
  })

  it('makes the words of a host printable and short', () => {
    const writer = { ...response.writer, reason: `\u001b[2J${'x'.repeat(5000)}\nlast\u202e` }
    const reason = read({ ...response, writer })?.writer.reason ?? ''
    expect(reason).toMatch(/^…x+ \/ last\\u202e$/)
    expect(reason.length).toBeLessThan(1100)
  })

  it.each([
    ['no object', []],
    ['no writer', { ...response, writer: undefined }],
    ['an unknown state', { ...response, datasources: [{ ...response.datasources[0], state: 'FINE' }] }],
    ['a name with an escape', { ...response, name: '\u001b[31m' }],
    ['a code with an escape', { ...response, writer: { ...response.writer, code: '\u001b' } }],
    ['too many data sources', { ...response, datasources: Array(1001).fill(response.datasources[0]) }],
  ])('rejects a response with %s', (_, payload) => {
    expect(read(payload)).toBe(undefined)
  })
})

it('viewsToJson leaves out what has no value', () => {
  const [view] = viewsToJson(joinReports([report('db1', withoutWriter(primary))])) as [object]
  expect(view).toMatchObject({ writer: { code: 'two-writers' }, missing: [] })
  expect(JSON.stringify(view)).not.toContain('null')
})

describe('readReadiness', () => {
  it('reads both words, and the reasons as one printable line', () => {
    expect(readReadiness({ status: 200, body: 'ready\na note\n' })).toEqual({ ready: true })
    expect(readReadiness({ status: 503, body: 'unready\none\u0007\ntwo\n' })).toEqual({
      ready: false,
      reason: 'one\\x07; two',
    })
    expect(readReadiness({ status: 503, body: 'unready\n' })).toMatchObject({ reason: 'it gives no reason' })
    expect(readReadiness({ status: 503, body: { payload: 'unready' } })).toBe(undefined)
    expect(readReadiness({ status: 502, body: 'bad gateway' })).toBe(undefined)
  })
})
