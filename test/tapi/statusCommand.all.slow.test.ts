import { expect, it } from 'vitest'
import { alphaWith, fakeCluster } from './fakeCluster.ts'
import { connectorStatus } from './payloads.ts'

const row = (
  host: string,
): string => `${host}  manager     ONLINE  policy AUTOMATIC, data source ${host} of alpha, up 2 h 3 min
${host}  connector   ONLINE  12 active, 4 held, 515 created
${host}  replicator  ONLINE  alpha as replica, 3 s behind, fetches from mysql://10.0.0.11:3306
`
const view = `alpha: writer db1
data source  role     state   lag
db1          primary  ONLINE  -
db2          replica  ONLINE  3 s
`

it('tapi --all status shows the components of all hosts, and the data sources once', async () => {
  const { tapi } = await fakeCluster()
  expect(await tapi(['status'])).toEqual({
    code: 0,
    stdout: `cluster alpha\n${row('db1')}${row('db2')}${row('db3')}\n${view}`,
    stderr: '',
  })
})

it('tapi --all status wraps its lines on a narrow terminal', async () => {
  const { tapi } = await fakeCluster()
  const { stdout } = await tapi(['status'], { columns: 80 })
  expect(stdout).toContain(`db3  manager     ONLINE  policy AUTOMATIC, data source db3 of alpha, up 2 h 3
                         min
db3  connector   ONLINE  12 active, 4 held, 515 created
db3  replicator  ONLINE  alpha as replica, 3 s behind, fetches from
                         mysql://10.0.0.11:3306

${view}`)
})

it('tapi --all status names the hosts whose managers disagree, and exits with 1', async () => {
  const { tapi, hosts } = await fakeCluster()
  const reason = 'no \u001b[31m word'
  hosts[1].manager.answers.set('managerServiceStatus', {
    payload: alphaWith({ state: 'SHUNNED', reason, code: 'errant-transactions' }),
  })
  const { code, stdout, stderr } = await tapi(['status'])
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toContain(
    `${view}managers disagree on db2: db1 and db3 say replica ONLINE; db2 says replica SHUNNED: no \\x1b[31m word (errant-transactions)\n`,
  )
})

it('tapi --all status shows why a component is not ready, and exits with 1', async () => {
  const { tapi, hosts } = await fakeCluster()
  hosts[2].connector.answers.set('ready', { payload: 'unready\nno manager responds\n' })
  const { code, stdout } = await tapi(['status'])
  expect(code).toBe(1)
  expect(stdout).toContain('db3  connector   ONLINE  not ready: no manager responds, 12 active')
  hosts[2].connector.answers.set('connectorStatus', {
    payload: { ...connectorStatus, value: 'ONLINE', expiresAt: null, reason: 'no manager responds' },
  })
  expect((await tapi(['status'])).stdout).toContain(
    'db3  connector   ONLINE  not ready, 12 active, 4 held, 515 created, no manager responds\n',
  )
})

it('tapi --all status names a host that did not answer, and exits with 4', async () => {
  const { tapi, hosts } = await fakeCluster()
  await Promise.all(Object.values(hosts[1]).map((api) => api.close()))
  const { code, stdout, stderr } = await tapi(['status'])
  expect(code).toBe(4)
  expect(stdout).toContain('db2  connector   unreachable  The connection to ')
  expect(stdout).toContain('\nno report from the manager of db2: unreachable\n')
  expect(stderr).toMatch(/^fix \(db2 manager, db2 connector, db2 replicator\): Check the address/)
  hosts[2].connector.answers.set('ready', { payload: 'unready\n' })
  expect((await tapi(['status'])).code).toBe(1)
})

it('tapi --all status exits with 1 if a manager sends no status of its service', async () => {
  const { tapi, hosts } = await fakeCluster()
  hosts[0].manager.answers.set('managerServiceStatus', { problem: 'not-ready' })
  const { code, stdout } = await tapi(['status'])
  expect(code).toBe(1)
  expect(stdout).toContain('\nno report from the manager of db1: it answered 503\n')
})

it('tapi --all status asks for the password once, and treats a refused login as a failure', async () => {
  const { tapi, hosts } = await fakeCluster()
  expect(await tapi(['status'], { env: { TAPI_PASSWORD: '' }, typed: ['wrong\r'] })).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^db3 {2}replicator {2}refused {2}.* \[401 login-refused\]$/m),
    stderr: 'The password of admin: \n',
  })
  expect(hosts[0].connector.sent).toEqual(['GET /api/v2/connector/status'])
})

it('tapi --all status prints the view and the payloads of each host with --json', async () => {
  const { tapi, hosts } = await fakeCluster()
  hosts[0].connector.answers.set('ready', { payload: 'unready\nfull\n' })
  const { code, stdout } = await tapi(['status', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    cluster: 'alpha',
    hosts: [
      {
        host: 'db1',
        components: {
          manager: { status: { dataSourceName: 'db1' }, ready: true },
          connector: { status: { value: 'ONLINE' }, ready: false, reason: 'full' },
          replicator: { ready: true },
        },
      },
      { host: 'db2' },
      { host: 'db3' },
    ],
    services: [
      {
        name: 'alpha',
        writer: { datasource: 'db1' },
        managersAgree: true,
        datasources: [{ managers: [{ host: 'db1' }, { host: 'db2' }, { host: 'db3' }] }, { state: 'ONLINE' }],
      },
    ],
  })
})

it('tapi --all status calls only the component of --component', async () => {
  const { tapi, hosts } = await fakeCluster()
  const { code, stdout } = await tapi(['status', '--component', 'connector'])
  expect([code, stdout.split('\n').length]).toEqual([0, 5])
  expect(hosts.map(({ manager, replicator }) => [...manager.sent, ...replicator.sent])).toEqual([[], [], []])
})
