import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createRequestCounts,
  formatMetrics,
  type MetricFamily,
  single,
} from '../../../src/api/metricFamilies.ts'
import { adminLogin, basic, type TestApi, testApi } from '../../support/testApi.ts'

const authorization = adminLogin

async function measured(api: TestApi): Promise<string> {
  const answer = await api.call({ url: '/metrics', headers: { authorization } })
  expect(answer.statusCode).toBe(200)
  return answer.body
}

const sampleOf = (text: string, name: string): number | undefined => {
  const line = text.split('\n').find((it) => it.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

describe('/metrics', () => {
  it('shows build, uptime, certificate, users and requests', async () => {
    const certificate = () => ({ expiry: new Date('2026-01-01T00:00:00Z'), rejected: undefined })
    const api = await testApi({ context: { certificate } })
    await api.call({ url: '/api/v2/ping' })
    await api.call({ url: '/nothing' })
    const answer = await api.call({ url: '/metrics', headers: { authorization } })
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const [before = '', durations = ''] = answer.body.split('# HELP muster_http_request_duration_seconds')
    expect(before).toBe(`# HELP muster_build_info Version of the running component; the value is always 1.
# TYPE muster_build_info gauge
muster_build_info{version="1.2.3",component="manager",node="v24.0.0"} 1
# HELP muster_uptime_seconds Seconds since the process started.
# TYPE muster_uptime_seconds gauge
muster_uptime_seconds 1.50025
# HELP muster_users API users of this host.
# TYPE muster_users gauge
muster_users 1
# HELP muster_lockouts_total Lockouts of an address and user name after failed logins.
# TYPE muster_lockouts_total counter
muster_lockouts_total 0
# HELP muster_locked_out Pairs of address and user name that are locked out now.
# TYPE muster_locked_out gauge
muster_locked_out 0
# HELP muster_certificate_expiry_timestamp_seconds Expiry time of the API certificate, in Unix time.
# TYPE muster_certificate_expiry_timestamp_seconds gauge
muster_certificate_expiry_timestamp_seconds 1767225600
# HELP muster_certificate_refused 1 if a new certificate was rejected and the previous one is still in use, else 0.
# TYPE muster_certificate_refused gauge
muster_certificate_refused 0
# HELP muster_audit_failures_total Failed writes to the audit log.
# TYPE muster_audit_failures_total counter
muster_audit_failures_total 0
# HELP muster_http_requests_total Finished calls by route, method and status.
# TYPE muster_http_requests_total counter
muster_http_requests_total{route="/api/v2/ping",method="GET",status="200"} 1
muster_http_requests_total{route="unmatched",method="GET",status="401"} 1
`)
    expect(durations).toContain(
      'muster_http_request_duration_seconds_bucket{route="/api/v2/ping",method="GET",le="+Inf"} 1\n',
    )
    expect(durations).toContain(
      'muster_http_request_duration_seconds_count{route="unmatched",method="GET"} 1\n',
    )
  })

  it('counts lockouts and failed writes of the audit log', async () => {
    const api = await testApi({ auditFile: '/nowhere/audit.jsonl' })
    for (let guess = 1; guess <= 7; guess += 1) {
      await api.call({ url: '/api/v2/users', headers: { authorization: basic('nobody', 'x') } })
    }
    await api.call({ method: 'POST', url: '/api/v2/deleteUser', headers: { authorization } })
    const text = await measured(api)
    expect(sampleOf(text, 'muster_lockouts_total')).toBe(1)
    expect(sampleOf(text, 'muster_locked_out')).toBe(1)
    expect(sampleOf(text, 'muster_audit_failures_total')).toBeGreaterThan(0)
  })

  it('includes the metrics of the component itself', async () => {
    const name = 'muster_connector_connections_active'
    let value = 3
    const componentMetrics = () => [single({ name, type: 'gauge', help: 'Open ones.', value })]
    const api = await testApi({ context: { componentMetrics } })
    expect(sampleOf(await measured(api), name)).toBe(3)
    value = 4
    expect(sampleOf(await measured(api), name)).toBe(4)
  })
})

describe('the request counts', () => {
  it('are added to every histogram bucket that fits', () => {
    const counts = createRequestCounts()
    const call = { route: '/api/v2/ping', method: 'GET', status: 200 }
    for (const seconds of [0.004, 0.005, 0.3, 60]) counts.count({ ...call, seconds })
    counts.count({ ...call, status: 503, seconds: 0.001 })
    const [requests, durations] = counts.families()
    expect(requests?.samples.map(({ labels, value }) => [labels?.status, value])).toEqual([
      ['200', 4],
      ['503', 1],
    ])
    const of = (suffix: string) => durations?.samples.filter((it) => it.suffix === suffix) ?? []
    expect(of('_bucket').map(({ labels, value }) => `${labels?.le} ${value}`)).toEqual([
      '0.005 3',
      '0.01 3',
      '0.025 3',
      '0.05 3',
      '0.1 3',
      '0.25 3',
      '0.5 4',
      '1 4',
      '2.5 4',
      '5 4',
      '10 4',
      '+Inf 5',
    ])
    expect(of('_count').map(({ value }) => value)).toEqual([5])
    expect(of('_sum')[0]?.value).toBeCloseTo(60.31)
  })

  it('have no more label sets than routes, whatever callers send', () => {
    const counts = createRequestCounts()
    for (let index = 0; index < 1000; index += 1) {
      counts.count({ route: 'unmatched', method: `M${index}`, status: 405, seconds: 0 })
    }
    const [requests, durations] = counts.families()
    expect(requests?.samples).toEqual([
      { labels: { route: 'unmatched', method: 'other', status: '405' }, value: 1000 },
    ])
    expect(durations?.samples).toHaveLength(14)
  })
})

describe('the metrics text', () => {
  it('can be parsed again, whatever labels and help contain', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'n', '{', '}', ' ', '\u00e9', '\u2028') })
    const family = fc.record({ label: text, help: text, value: fc.double() })
    fc.assert(
      fc.property(family, ({ label, help, value }) => {
        const it: MetricFamily = {
          name: 'a_b',
          type: 'gauge',
          help,
          samples: [{ labels: { x: label }, value }],
        }
        const lines = formatMetrics([it]).split('\n')
        expect(lines).toHaveLength(4)
        const unescaped = (escaped: string) =>
          escaped.replaceAll(/\\(.)/g, (_all, character) => (character === 'n' ? '\n' : character))
        expect(unescaped(lines[0] ?? '')).toBe(`# HELP a_b ${help}`)
        const [, found = '', number = ''] = /^a_b\{x="((?:[^"\\]|\\.)*)"\} (.*)$/su.exec(lines[2] ?? '') ?? []
        expect(unescaped(found)).toBe(label)
        expect(Number(number.replace('Inf', 'Infinity'))).toBe(Object.is(value, -0) ? 0 : value)
      }),
    )
  })
})
