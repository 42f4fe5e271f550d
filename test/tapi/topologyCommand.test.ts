import { expect, it } from 'vitest'
import { alphaWith, fakeCluster } from './fakeCluster.ts'

const sources = `cluster alpha
service  data source  role
alpha    db1          primary
alpha    db2          replica
`
const routers = `connector  active  created
db1        1       7
db2        1       7
db3        1       7
`

it('tapi --all topology shows the services once, and the connectors of all hosts', async () => {
  const { tapi } = await fakeCluster()
  expect(await tapi(['topology'])).toEqual({ code: 0, stdout: `${sources}\n${routers}`, stderr: '' })
})

it('tapi --all topology leaves out the connectors with --no-routers', async () => {
  const { tapi, hosts } = await fakeCluster()
  const { answers } = hosts[0].manager
  const told = answers.get('managerTopology')
  const { payload } = told !== undefined && 'payload' in told ? told : { payload: {} }
  const { routers: _, ...bare } = payload as { readonly routers: unknown }
  for (const { manager } of hosts) manager.answers.set('managerTopology', { payload: bare })
  expect(await tapi(['topology', '--no-routers'])).toEqual({ code: 0, stdout: sources, stderr: '' })
  expect(hosts[0].manager.sent[0]).toBe('GET /api/v2/manager/cluster/topology?includeRouters=no')
})

it('tapi --all topology names the managers that see another role or writer, and exits with 1', async () => {
  const { tapi, hosts } = await fakeCluster()
  const writer = { datasource: null, code: 'two-writers', reason: 'two servers can be written', hold: true }
  hosts[2].manager.answers.set('managerServiceStatus', {
    payload: alphaWith({ role: 'primary', appliedLatency: null }, { writer }),
  })
  const { code, stdout } = await tapi(['topology'])
  expect(code).toBe(1)
  expect(stdout).toBe(`${sources}
managers disagree on the writer of alpha: db1 and db2 say db1; db3 says none: two servers can be written (two-writers)
managers disagree on db2: db1 and db2 say replica ONLINE; db3 says primary ONLINE

${routers}`)
})

it('tapi --all topology names a host that did not answer, and exits with 4', async () => {
  const { tapi, hosts } = await fakeCluster()
  await hosts[1].manager.close()
  const { code, stdout, stderr } = await tapi(['topology'])
  expect(code).toBe(4)
  expect(stdout).toContain(`${sources}\nno report from the manager of db2: unreachable\n`)
  expect(stderr).toMatch(/^db2 manager at https:\S+\nerror: The connection .* was refused/)
})

it('tapi --all topology prints services, connectors and failed hosts with --json', async () => {
  const { tapi, hosts } = await fakeCluster()
  hosts[1].manager.answers.set('managerTopology', { problem: 'locked-out' })
  const { code, stdout, stderr } = await tapi(['topology', '--json'])
  expect([code, stderr]).toEqual([1, ''])
  expect(JSON.parse(stdout)).toMatchObject({
    cluster: 'alpha',
    services: [{ name: 'alpha', missing: [{ host: 'db2', reason: 'refused' }] }],
    routers: [
      { host: 'db1', name: 'db1', connections: { active: 1, created: 7 } },
      { host: 'db3', name: 'db3' },
    ],
    failed: [{ host: 'db2', component: 'manager', status: 429 }],
  })
})
