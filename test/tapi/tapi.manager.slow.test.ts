import { describe, expect, it } from 'vitest'
import { fakeHost } from './fakeHost.ts'
import { alpha, db1, db3, map, twoServices } from './payloads.ts'

const table = `data source  role     state    address          seqno  lag  active
db1          primary  ONLINE   10.0.0.11:3306   35     -    12
db2          replica  FAILED   [fd00::12]:3306  -      -    -
db3          replica  SHUNNED  10.0.0.13:3306   35     3 s  0
db2: FAILED since 2025-03-10 10:12:18 UTC by manager: it refused the connection \\x1b[31m
db3: SHUNNED since 2025-03-10 10:12:18 UTC by admin
`

async function host() {
  const { tapi, apis, file } = await fakeHost('manager')
  const { answers, sent } = apis.manager
  answers.set('managerServicesMap', { payload: map })
  answers.set('managerServiceStatus', { payload: alpha })
  return { tapi, answers, sent, file }
}

const askedMap = 'GET /api/v2/manager/configuration/module/servicesmap'

describe('tapi service', () => {
  it('shows the only service, and a named one', async () => {
    const { tapi, sent } = await host()
    const shown = { code: 0, stdout: `alpha: policy AUTOMATIC, failover automatic\n${table}`, stderr: '' }
    expect(await tapi(['service', 'status'])).toEqual(shown)
    expect(await tapi(['service', 'status', 'alpha'])).toEqual(shown)
    expect(await tapi(['datasource', 'status'])).toEqual(shown)
    const status = 'GET /api/v2/manager/status/service/alpha'
    expect(sent).toEqual([askedMap, status, status, askedMap, status])
  })

  it('prints one block per data source if the terminal is too narrow for the table', async () => {
    const { tapi } = await host()
    const wide = await tapi(['service', 'status'], { columns: 100 })
    expect(wide.stdout).toBe(`alpha: policy AUTOMATIC, failover automatic\n${table}`)
    const narrow = await tapi(['service', 'status'], { columns: 40 })
    expect(narrow.stdout).toContain(`alpha: policy AUTOMATIC, failover
  automatic
db1
  role: primary  state: ONLINE
    address: 10.0.0.11:3306  seqno: 35
    lag: -  active: 12
db2
`)
  })

  it('prints the payload unchanged with --json', async () => {
    const { tapi } = await host()
    const { stdout } = await tapi(['service', 'status', '--json'])
    expect(JSON.parse(stdout)).toEqual({
      payloadType: 'ServiceStatusPayload',
      payloadVersion: '1',
      payload: alpha,
    })
  })

  it('reports whether a change changed anything', async () => {
    const { tapi, answers } = await host()
    answers.set('managerServiceOffline', { payload: { ...alpha, datasources: [], changed: true } })
    answers.set('managerServiceOnline', { payload: { ...alpha, datasources: [], changed: false } })
    const first = await tapi(['service', 'offline', '--yes'])
    expect(first).toEqual({
      code: 0,
      stdout: 'alpha: policy AUTOMATIC, failover automatic, changed\nno data sources\n',
      stderr: '',
    })
    const second = await tapi(['service', 'online', 'alpha', '--yes'])
    expect(second.stdout).toBe('alpha: policy AUTOMATIC, failover automatic, unchanged\nno data sources\n')
  })

  it('says why nobody can write, and which contradiction a data source has', async () => {
    const { tapi, answers } = await host()
    const reason = 'db1 and db3 can be written and follow nobody\u001b[31m'
    const writer = { datasource: null, code: 'two-writers', reason, hold: true }
    const astray = { ...db3, state: 'ONLINE', code: 'follows-other', reason: 'It follows db2.' }
    answers.set('managerServiceStatus', { payload: { ...alpha, writer, datasources: [db1, astray] } })
    const { stdout } = await tapi(['service', 'status'])
    expect(stdout).toContain(
      'alpha: policy AUTOMATIC, failover automatic\nno writer: db1 and db3 can be written and follow nobody\\x1b[31m (two-writers)\n',
    )
    expect(stdout).toContain(' by admin: It follows db2. (follows-other)\n')
    answers.set('managerDatasourceStatus', { payload: astray })
    const one = await tapi(['datasource', 'status', 'db3'])
    expect(one.stdout).toContain('reason       It follows db2. (follows-other)\n')
  })

  it('asks for the service if there are several, and changes nothing', async () => {
    const { tapi, answers, sent } = await host()
    answers.set('managerServicesMap', { payload: twoServices })
    const { code, stdout, stderr } = await tapi(['service', 'offline', '--yes'])
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toMatch(
      /^error: The service is ambiguous on db1 manager at https:\S+: it is in alpha, beta\.\n {2}fix: .*--service alpha\.\n$/,
    )
    expect(sent).toEqual([askedMap])
  })

  it('shows the problem that the manager returns instead of the map', async () => {
    const { tapi, answers } = await host()
    answers.set('managerServicesMap', { problem: 'not-ready' })
    expect(await tapi(['service', 'status'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('[503 not-ready]'),
    })
  })
})

describe('tapi datasource', () => {
  it('finds the service of a data source, and shows the data source', async () => {
    const { tapi, answers, sent } = await host()
    answers.set('managerServicesMap', { payload: twoServices })
    answers.set('managerDatasourceStatus', { payload: db3 })
    expect(await tapi(['datasource', 'status', 'db3'])).toEqual({
      code: 0,
      stdout: `service      alpha
data source  db3
role         replica
follows      db1
address      10.0.0.13:3306
state        SHUNNED since 2025-03-10 10:12:18 UTC by admin
reason       -
checked      2025-03-10 11:00:00 UTC
connections  0 active, 3 created
seqno        35
lag          3 s
`,
      stderr: '',
    })
    expect(sent).toEqual([askedMap, 'GET /api/v2/manager/status/service/alpha/datasource/db3'])
    const { code, stderr } = await tapi(['datasource', 'status', 'db1'])
    expect([code, stderr]).toEqual([3, expect.stringContaining('--service alpha')])
  })

  it('lists the known names if a name is unknown', async () => {
    const { tapi } = await host()
    expect(await tapi(['datasource', 'shun', 'db9', '--yes'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/has no data source db9\. It has: db1, db2, db3\.\n/),
    })
  })

  it('ping exits with 1 if the data source does not respond', async () => {
    const { tapi, answers } = await host()
    answers.set('managerPing', { payload: { value: true } })
    expect(await tapi(['datasource', 'ping', 'db1'])).toEqual({
      code: 0,
      stdout: 'db1 answers\n',
      stderr: '',
    })
    answers.set('managerPing', { payload: { value: false } })
    expect(await tapi(['datasource', 'ping', 'db1'])).toEqual({
      code: 1,
      stdout: 'db1 does not answer\n',
      stderr: '',
    })
  })

  it('offline prints a note that AUTOMATIC brings the data source back, and only then', async () => {
    const { tapi, answers } = await host()
    const payload = { ...db1, state: 'OFFLINE', changed: true }
    answers.set('managerOffline', { payload })
    const { code, stdout, stderr } = await tapi(['datasource', 'offline', 'db1', '--i-am-sure'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^state +OFFLINE since .*\n(.*\n)*changed +yes\n$/m)
    expect(stderr).toBe(
      'note: the policy is AUTOMATIC: db1 comes back by itself. `tapi datasource shun db1` keeps it out.\n',
    )
    answers.set('managerServiceStatus', { payload: { ...alpha, policy: 'MANUAL' } })
    expect((await tapi(['datasource', 'offline', 'db1', '--i-am-sure'])).stderr).toBe('')
    answers.set('managerServiceStatus', { problem: 'not-ready' })
    expect(await tapi(['datasource', 'offline', 'db1', '--i-am-sure'])).toMatchObject({ code: 0, stderr: '' })
  })

  it('asks for confirmation with the host and the consequence', async () => {
    const { tapi, answers, sent } = await host()
    answers.set('managerShun', { payload: { ...db1, state: 'SHUNNED', changed: true } })
    const { code, stderr } = await tapi(['datasource', 'shun', 'db1'], { typed: ['yes\n'] })
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^Shun db1 on db1 manager at https:\S+\? The connector sends it no connections until it is welcomed back\. \[yes\/no\] $/,
    )
    expect(sent.at(-1)).toBe('POST /api/v2/manager/control/service/alpha/datasource/db1/shun?i-am-sure=true')
  })

  it('encodes names in paths as one segment', async () => {
    const { tapi, sent } = await host()
    await tapi(['datasource', 'status', 'a/../b', '--service', 'x y'])
    expect(sent[0]).toBe('GET /api/v2/manager/status/service/x%20y/datasource/a%2F..%2Fb')
  })
})

describe('tapi policy', () => {
  it('shows the policy of every service, with its meaning', async () => {
    const { tapi } = await host()
    expect(await tapi(['policy'])).toEqual({
      code: 0,
      stdout: `service  policy     the manager
alpha    AUTOMATIC  monitors, fences failed data sources, brings them back, and replaces a lost primary
`,
      stderr: '',
    })
    expect(JSON.parse((await tapi(['policy', '--json'])).stdout)).toEqual({ alpha: 'AUTOMATIC' })
    expect((await tapi(['policy'], { columns: 40 })).stdout).toBe(
      'alpha\n  policy: AUTOMATIC\n    the manager: monitors, fences failed\n      data sources, brings them back,\n      and replaces a lost primary\n',
    )
  })

  it('sets the policy', async () => {
    const { tapi, answers } = await host()
    answers.set('managerMaintenance', { payload: { ...alpha, policy: 'MAINTENANCE', changed: true } })
    expect(await tapi(['policy', 'maintenance', '--yes'])).toEqual({
      code: 0,
      stdout: 'alpha: MAINTENANCE (only monitors), changed\n',
      stderr: '',
    })
    expect(await tapi(['policy', 'sometimes', '--yes'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Allowed choices are automatic, manual, maintenance.'),
    })
  })
})

describe('tapi topology', () => {
  it('shows services, data sources and connectors', async () => {
    const { tapi, answers } = await host()
    const datasources = [db1, db3].map(({ name, role }) => ({ name, role }))
    const services = [{ name: 'alpha', role: 'primary', datasources }]
    const routers = [{ name: 'db1', connections: null }]
    answers.set('managerTopology', { payload: { topology: 'clustered', name: 'prod', services, routers } })
    expect(await tapi(['topology'])).toEqual({
      code: 0,
      stdout: `cluster prod, clustered
service  data source  role
alpha    db1          primary
alpha    db3          replica

connector  active  created
db1        -       -
`,
      stderr: '',
    })
  })
})
