import { describe, expect, it } from 'vitest'
import type { HostConfig } from '../../src/config/model.ts'
import { connectorExamples } from '../../src/contracts/examples/connectorExamples.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import type { MapService } from '../../src/contracts/servicesMap.ts'
import { hostStatus } from '../../src/deployment/hostStatus.ts'
import { TransportError } from '../../src/transport/transportError.ts'
import { hostConfig, hostFacts, proxy } from '../support/deploymentValues.ts'
import { type Expectation, fakeTransport } from '../support/fakeTransport.ts'
import { finishedFacts, targetOf } from './steps/target.ts'

const observe = (
  result: Expectation['result'],
  facts = finishedFacts(targetOf()),
  host = hostConfig(),
  services: readonly MapService[] = [],
) =>
  hostStatus({
    surveyed: {
      host,
      facts,
      transport: fakeTransport({ expect: [{ script: 'call', ...(result ? { result } : {}) }] }),
      seconds: { connect: 0, facts: 0 },
    },
    cluster: 'alpha',
    services,
    authorities: [],
    certificateExpires: undefined,
  })
const statusOf = async (...given: Parameters<typeof observe>) => (await observe(...given)).status
const answers = (...results: readonly object[]) => ({ stdout: JSON.stringify(results) })

const source = { name: 'db1', host: '10.0.0.11', port: 3306, role: 'primary' } as const
const alphaMap = [{ name: 'alpha', datasources: [source] }]
const { response: seen } = managerExamples.managerServiceStatus
const report = async (...results: readonly object[]) =>
  (await observe(answers(...results), undefined, undefined, alphaMap)).report

describe('hostStatus', () => {
  it('is not-installed without a release', async () => {
    expect(await statusOf(undefined, hostFacts())).toMatchObject({ state: 'not-installed', components: [] })
  })

  it('reports each component by its own response', async () => {
    const status = await statusOf(
      answers(
        { id: 'manager', status: 200, body: {} },
        { id: 'connector', status: 503, body: {} },
        { id: 'replicator', error: { code: 'refused', message: 'nothing listens' } },
      ),
    )
    expect(status.components.map(({ api, detail }) => [api, detail])).toEqual([
      ['answers', undefined],
      ['silent', 'answered 503'],
      ['silent', 'nothing listens'],
    ])
  })

  it('reports where clients connect to the connector', async () => {
    const { service, address, port, readonlyPort } = proxy
    const { components } = await statusOf(answers(), undefined, hostConfig({ proxy }))
    expect(components.map(({ clients }) => clients)).toEqual([
      undefined,
      { service, address, port, readonlyPort },
      undefined,
    ])
  })

  it('notes what a component does not do without a database', async () => {
    const notes = async (
      ...more: [facts?: ReturnType<typeof hostFacts>, host?: HostConfig, services?: readonly MapService[]]
    ) => (await statusOf(answers(), ...more)).components.map(({ note }) => note)
    expect(await notes()).toEqual([
      'no database configured: the manager serves users and status only',
      'no database configured: the connector opens no port for clients and serves users and status only',
      'no database configured: the replicator controls no replication and serves users and status only',
    ])
    const account = { user: 'muster', password: { kind: 'env', name: 'PASSWORD' } } as const
    const database = { type: 'mariadb', host: '10.0.0.11', port: 3306, service: 'alpha' } as const
    const whole = hostConfig({ proxy, database: { ...database, account } })
    expect(await notes(undefined, whole, alphaMap)).toEqual([undefined, undefined, undefined])
    const lacking = await notes(undefined, hostConfig({ proxy, database }), alphaMap)
    expect(lacking.map((note) => note === undefined)).toEqual([true, true, false])
  })

  it('reports why the APIs could not be called, and the services', async () => {
    const status = await statusOf({ code: 127, stderr: 'node: not found\n' })
    expect(status).toMatchObject({
      state: 'up',
      detail: 'calling the APIs on the host failed: node: not found',
    })
    expect(status.components.map(({ service, api }) => `${service} ${api}`)).toEqual([
      'running silent',
      'running silent',
      'running silent',
    ])
  })

  it('reports that a component is not ready, and why, in printable words', async () => {
    const up = { status: 200, body: {} }
    const { components } = await statusOf(
      answers(
        { ...up, id: 'manager' },
        { id: 'manager ready', status: 503, body: 'unready\nno \u001b[31m word\nthe audit log is full\n' },
        { ...up, id: 'connector' },
        { id: 'connector ready', status: 200, body: 'ready\nthe certificate ends soon\n' },
        { ...up, id: 'replicator' },
        { id: 'replicator ready', error: { code: 'no-socket', message: 'no socket' } },
      ),
    )
    expect(components.map(({ api, ready, reason }) => [api, ready, reason])).toEqual([
      ['answers', false, 'no \\x1b[31m word; the audit log is full'],
      ['answers', true, undefined],
      ['answers', undefined, undefined],
    ])
  })

  it('reports the services as the manager of the host sees them', async () => {
    const body = { payloadType: 'ServiceStatusPayload', payloadVersion: '1', payload: seen }
    expect(await report({ id: 'service alpha', status: 200, body })).toMatchObject({
      host: 'db1',
      services: [{ name: 'alpha', writer: { datasource: 'db1' }, datasources: [{ role: 'primary' }, {}] }],
    })
    expect(await report({ id: 'service alpha', status: 404, body: {} })).toEqual({
      host: 'db1',
      services: [],
    })
  })

  it.each([
    [[], 'it does not respond'],
    [[{ id: 'service alpha', error: { code: 'refused', message: 'no' } }], 'it does not respond'],
    [[{ id: 'service alpha', status: 503, body: {} }], 'it answered 503'],
    [
      [{ id: 'service alpha', status: 200, body: { payload: [] } }],
      'its response is not the status of a service',
    ],
  ])('reports why a manager did not report its services: %j', async (results, reason) => {
    expect(await report(...results)).toEqual({ host: 'db1', services: [], reason })
  })

  it('reports the state of the connector, and none that it cannot read', async () => {
    const { response } = connectorExamples.connectorStatus
    const connector = async (payload: unknown, status = 200) => {
      const body = { payloadType: 'ConnectorStatusPayload', payloadVersion: '1', payload }
      return (await statusOf(answers({ id: 'connector status', status, body }))).connector
    }
    expect(
      await connector({ ...response, value: 'ONHOLD', held: 3, reason: 'no\u001b[2J writer' }),
    ).toMatchObject({
      ...{ value: 'ONHOLD', held: 3, reason: 'no\\x1b[2J writer', active: response.active },
    })
    expect(await connector({ ...response, held: -1 })).toBe(undefined)
    expect(await connector({ ...response, value: 'FINE' })).toBe(undefined)
    expect(await connector(response, 503)).toBe(undefined)
  })

  it('rejects if the host becomes unreachable', async () => {
    const lost = new TransportError({ host: 'db1', code: 'connection-lost', message: 'lost', fix: 'see' })
    await expect(statusOf(lost)).rejects.toBe(lost)
  })
})
