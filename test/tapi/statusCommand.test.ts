import { expect, it } from 'vitest'
import { fakeHost } from './fakeHost.ts'
import { alpha, connectorStatus, db1, managerStatus, replication } from './payloads.ts'

async function host() {
  const { tapi, apis } = await fakeHost('manager', 'connector', 'replicator')
  apis.manager.answers.set('managerStatus', { payload: managerStatus })
  apis.manager.answers.set('managerServiceStatus', { payload: { ...alpha, datasources: [db1] } })
  apis.connector.answers.set('connectorStatus', { payload: connectorStatus })
  apis.replicator.answers.set('replicatorStatus', { payload: { alpha: replication } })
  return { tapi, ...apis }
}

const counts = '12 active, 4 held until 2025-03-10 10:13:18 UTC, 515 created'

it('tapi status shows every component of the host, and the data sources', async () => {
  const { tapi } = await host()
  expect(await tapi(['status'])).toEqual({
    code: 0,
    stdout: `db1 (127.0.0.1) of cluster alpha
manager     ONLINE  policy AUTOMATIC, data source db1 of alpha, up 2 h 3 min
connector   ONHOLD  ${counts}
replicator  ONLINE  alpha as replica, 3 s behind, fetches from mysql://10.0.0.11:3306

data source  role     state   address         seqno  lag  active
db1          primary  ONLINE  10.0.0.11:3306  35     -    12
`,
    stderr: '',
  })
})

it('tapi status shows why a component does not respond, and continues', async () => {
  const { tapi, connector } = await host()
  await connector.close()
  const { code, stdout, stderr } = await tapi(['status'])
  expect(code).toBe(4)
  const { port } = connector
  expect(stdout).toContain(
    `connector   unreachable  The connection to https://127.0.0.1:${port} was refused: nothing listens there.\n`,
  )
  expect(stdout).toContain('replicator  ONLINE ')
  expect(stderr).toMatch(/^fix \(connector\): Check the address and the port.*\n$/)
})

it('tapi status exits with 1 for a refusal, even if another component is unreachable', async () => {
  const { tapi, connector, manager } = await host()
  await connector.close()
  manager.answers.set('managerStatus', { problem: 'locked-out' })
  const { code, stdout } = await tapi(['status'])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^manager {5}refused {6}Too many logins failed \[429 locked-out\]$/m)
})

it('tapi status treats a component without a database as healthy', async () => {
  const { tapi, manager, connector, replicator } = await host()
  const words = 'no database configured: it serves users and status only'
  manager.answers.set('managerStatus', { payload: { ...managerStatus, state: 'OFFLINE', reason: words } })
  connector.answers.set('connectorStatus', {
    payload: { ...connectorStatus, value: 'OFFLINE', reason: words, expiresAt: null },
  })
  replicator.answers.set('replicatorStatus', { problem: 'no-database' })
  const { code, stdout } = await tapi(['status'])
  expect(code).toBe(0)
  expect(stdout).toContain(`manager     OFFLINE  ${words}, policy AUTOMATIC,`)
  expect(stdout).toMatch(new RegExp(`^connector   OFFLINE  .* created, ${words}$`, 'm'))
  expect(stdout).toMatch(/^replicator {2}- {8}It is no-database\.$/m)
})

it('tapi status calls only the component of --component', async () => {
  const { tapi, manager, connector, replicator } = await host()
  expect((await tapi(['status', '--component', 'connector'])).code).toBe(0)
  expect([manager.sent, connector.sent, replicator.sent]).toEqual([[], ['GET /api/v2/connector/status'], []])
})

it('tapi status prints the payloads by component with --json', async () => {
  const { tapi, connector } = await host()
  await connector.close()
  const { code, stdout, stderr } = await tapi(['status', '--json'])
  expect([code, stderr]).toEqual([4, ''])
  expect(JSON.parse(stdout)).toEqual({
    manager: { status: managerStatus, service: { ...alpha, datasources: [db1] } },
    connector: { error: expect.objectContaining({ code: 'refused' }) },
    replicator: { status: { alpha: replication } },
  })
})

it('tapi status asks for the password once, and wraps lines on a narrow terminal', async () => {
  const { tapi } = await host()
  const { code, stdout, stderr } = await tapi(['status'], {
    env: { TAPI_PASSWORD: '' },
    typed: ['right\r'],
    columns: 60,
  })
  expect([code, stderr]).toEqual([0, 'The password of admin: \n'])
  expect(stdout).toContain(`manager     ONLINE  policy AUTOMATIC, data source db1 of
                    alpha, up 2 h 3 min
`)
})
