import { describe, expect, it } from 'vitest'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import type { ManagerEventPayload } from '../../src/contracts/managerPayloads.ts'
import { fakeCluster } from './fakeCluster.ts'
import { fakeHost } from './fakeHost.ts'

const time = '2025-03-11T18:02:11.412Z'
const service = managerExamples.managerServiceStatus.response
const [db1, db2] = service.datasources
if (!db1 || !db2) throw new Error('the example has two data sources')
const status = {
  value: 'ONLINE',
  since: time,
  by: 'installation',
  reason: null,
  active: 1,
  held: 0,
  created: 2,
} as const
const connector = { name: 'db1', status: { ...status, expiresAt: null } }
const manager = managerExamples.managerStatus.response
const snapshot: ManagerEventPayload = {
  ...{
    kind: 'snapshot',
    time,
    cluster: 'alpha',
    host: 'db1',
    manager,
    services: [service],
    tasks: [],
    connector,
  },
}
const { datasources: _datasources, ...alpha } = service
const task = managerExamples.managerSwitch.response
const reason = 'connection refused \u001b[31m'
const writer = { datasource: null, code: null, reason: 'db1 is FAILED', hold: true }
const changes: readonly ManagerEventPayload[] = [
  { kind: 'datasource', time, datasource: { ...db1, state: 'FAILED', reason } },
  { kind: 'service', time, service: { ...alpha, writer } },
  { kind: 'datasource', time, datasource: { ...db2, appliedLatency: 5 } },
  { kind: 'datasource', time, datasource: { ...db2, appliedLatency: 6 } },
  { kind: 'datasource', time, datasource: { ...db2, appliedLatency: 6, connections: null } },
  { kind: 'datasource', time, datasource: { ...db2, role: 'primary', follows: null, appliedLatency: null } },
  { kind: 'task', time, task },
  { kind: 'task', time, task: { ...task, step: 'hold' } },
  { kind: 'task', time, task: managerExamples.managerTask.response },
  { kind: 'service', time, service: { ...alpha, policy: 'MANUAL' } },
  {
    kind: 'connector',
    time,
    connector: { name: 'db1', status: { ...connector.status, value: 'ONHOLD', by: 'admin' } },
  },
  { kind: 'connector', time, connector: { name: 'db1', status: null } },
]

/** Runs tapi on a host whose streams send these events, one list for each, and interrupts it then. */
async function run(argv: readonly string[], ...streams: readonly (readonly ManagerEventPayload[])[]) {
  const { tapi, apis } = await fakeHost('manager')
  const stop = new AbortController()
  const left = [...streams]
  apis.manager.answers.set('managerEvents', () => {
    const next = left.shift()
    if (next) return { payload: next }
    stop.abort()
    return { problem: 'stopping' }
  })
  return { ...(await tapi(argv, { signal: stop.signal })), sent: apis.manager.sent }
}

const begin = `18:02:11 alpha writer db1
18:02:11 alpha policy AUTOMATIC
18:02:11 alpha failover automatic
18:02:11 alpha/db1 primary ONLINE
18:02:11 alpha/db2 replica ONLINE
18:02:11 connector of db1 ONLINE
`

describe('tapi events', () => {
  it('prints the state, then one line for each change, until it is interrupted', async () => {
    const { code, stdout, sent } = await run(['events'], [snapshot, ...changes])
    expect(stdout).toBe(`${begin}18:02:11 alpha/db1 ONLINE -> FAILED: connection refused \\x1b[31m
18:02:11 alpha writer db1 -> none: db1 is FAILED
18:02:11 alpha/db2 5 s behind
18:02:11 alpha/db2 replica -> primary
18:02:11 alpha/db2 not behind any more
18:02:11 switch of alpha: step check
18:02:11 switch of alpha: step hold
18:02:11 switch of alpha: db2 is the primary in place of db1; clients were held for 96 ms
18:02:11 alpha writer none -> db1
18:02:11 alpha policy AUTOMATIC -> MANUAL
18:02:11 connector of db1 ONLINE -> ONHOLD by admin
18:02:11 connector of db1 ONHOLD -> does not respond
`)
    expect([code, sent[0]]).toEqual([130, 'GET /api/v2/manager/events'])
  })

  it('says on standard error that it is cut off, and prints only what is different after that', async () => {
    const failed = { ...snapshot, services: [{ ...service, datasources: [{ ...db1, state: 'FAILED' }] }] }
    const { code, stdout, stderr } = await run(['events'], [snapshot], [failed as ManagerEventPayload])
    expect(stdout).toBe(`${begin}18:02:11 alpha/db2 is not in the services map any more
18:02:11 alpha/db1 ONLINE -> FAILED
`)
    expect(stderr).toMatch(
      /^note: db1 is cut off: .* ended the stream\. Trying again in \d+ ms\.\nnote: db1 is connected again\n/,
    )
    expect(code).toBe(130)
  })

  it('prints each event as one line of JSON', async () => {
    const { stdout } = await run(['--json', 'events'], [snapshot, ...changes])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([snapshot, ...changes])
    expect(stdout).not.toContain('\u001b')
  })

  it('follows every host with --all, names it in each line, and goes on without one that is away', async () => {
    const { tapi, hosts } = await fakeCluster()
    const stop = new AbortController()
    const [one, two, three] = hosts
    await three.manager.close()
    let left = 2
    for (const { manager: api } of [one, two]) {
      let isFirst = true
      api.answers.set('managerEvents', () => {
        if (isFirst) {
          isFirst = false
          return { payload: [snapshot] }
        }
        left -= 1
        if (left <= 0) stop.abort()
        return { problem: 'stopping' }
      })
    }
    const { code, stdout, stderr } = await tapi(['events'], { signal: stop.signal })
    for (const name of ['db1', 'db2']) {
      const own = stdout.split('\n').filter((line) => line.startsWith(`${name}: `))
      expect(own.join('\n').replaceAll(`${name}: `, '')).toBe(begin.trimEnd())
    }
    expect(stderr).toMatch(/db3: error: .*refused/)
    expect(code).toBe(130)
  })

  it('ends with the problem where the manager refuses the login', async () => {
    const { tapi, apis } = await fakeHost('manager')
    const { code, stdout, stderr } = await tapi(['events'], { env: { TAPI_PASSWORD: 'wrong' } })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('[401 login-refused]')
    expect(apis.manager.sent).toHaveLength(1)
  })

  it('ends with exit code 4 where the manager cannot be reached at first', async () => {
    const { tapi, apis } = await fakeHost('manager')
    await apis.manager.close()
    const { code, stdout, stderr } = await tapi(['events'])
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toMatch(/^error: .*refused/)
  })
})
