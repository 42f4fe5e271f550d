import { describe, expect, it } from 'vitest'
import { type Component, components } from '../../src/contracts/component.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import { componentRoutes } from '../support/componentRoutes.ts'
import { fakeHost } from './fakeHost.ts'
import { map } from './payloads.ts'

/** A command line for every call of the API, and the call that it is to make, the last of those that it makes. */
const calls: readonly (readonly [component: Component, argv: string, call: string])[] = [
  ['manager', 'topology', 'GET /manager/cluster/topology'],
  ['manager', 'topology --no-routers', 'GET /manager/cluster/topology?includeRouters=no'],
  ['manager', 'service status a', 'GET /manager/status/service/a'],
  ['manager', 'service online a', 'POST /manager/control/service/a/online'],
  ['manager', 'service offline a', 'POST /manager/control/service/a/offline'],
  ['manager', 'datasource status b --service a', 'GET /manager/status/service/a/datasource/b'],
  ['manager', 'datasource ping b --service a', 'GET /manager/service/a/datasource/b/ping'],
  ['manager', 'datasource online b --service a', 'POST /manager/control/service/a/datasource/b/online'],
  ['manager', 'datasource shun b --service a', 'POST /manager/control/service/a/datasource/b/shun'],
  ['manager', 'datasource welcome b --service a', 'POST /manager/control/service/a/datasource/b/welcome'],
  ['manager', 'datasource recover b --service a', 'POST /manager/control/service/a/datasource/b/recover'],
  ['manager', 'task 1f0ff1f0', 'GET /manager/task/1f0ff1f0'],
  ['manager', 'policy automatic --service a', 'POST /manager/control/service/a/policy/automatic'],
  ['manager', 'policy manual --service a', 'POST /manager/control/service/a/policy/manual'],
  ['manager', 'policy maintenance --service a', 'POST /manager/control/service/a/policy/maintenance'],
  ['manager', 'map show', 'GET /manager/configuration/module/servicesmap'],
  ['manager', 'map set FILE', 'POST /manager/configuration/module/servicesmap'],
  ['manager', 'map add-service a', 'POST /manager/addDataService'],
  ['manager', 'map add-datasource b=replica@h --service a', 'POST /manager/addDataSource'],
  ['manager', 'map reset', 'POST /manager/reset'],
  ['connector', 'connector status', 'GET /connector/status'],
  ['connector', 'connector online', 'POST /connector/online'],
  ['connector', 'connector onhold', 'POST /connector/onhold'],
  ['connector', 'connector offline', 'POST /connector/offline'],
  ['connector', 'map show', 'GET /connector/configuration/module/servicesmap'],
  ['connector', 'map set FILE', 'POST /connector/configuration/module/servicesmap'],
  ['connector', 'map add-service a', 'POST /connector/addDataService'],
  ['connector', 'map add-datasource b=replica@h --service a', 'POST /connector/addDataSource'],
  ['connector', 'map reset', 'POST /connector/reset'],
  ['replicator', 'replicator services', 'GET /replicator/services'],
  ['replicator', 'replicator status', 'GET /replicator/status'],
  ['replicator', 'replicator status a', 'GET /replicator/service/a/status'],
  ['replicator', 'replicator online', 'POST /replicator/online'],
  ['replicator', 'replicator online a', 'POST /replicator/service/a/online'],
  ['replicator', 'replicator offline', 'POST /replicator/offline'],
  ['replicator', 'replicator offline a', 'POST /replicator/service/a/offline'],
  ['replicator', 'replicator reset', 'POST /replicator/reset'],
  ['replicator', 'replicator reset a', 'POST /replicator/service/a/reset'],
  ...components.flatMap((component): (readonly [Component, string, string])[] => [
    [component, 'ping', 'GET /ping'],
    [component, 'users', 'GET /users'],
    [component, 'user bob', 'GET /user/bob'],
    [component, 'version', 'GET /version'],
    [component, 'uris', 'GET /uris'],
    [component, 'delete-user bob', 'POST /deleteUser'],
    [component, 'unlock bob', 'POST /unlock'],
  ]),
]

/** Made elsewhere: of several calls, without an end, with a password, by managers and `muster switch`, or outside /api/v2. */
const elsewhere = [
  'managerEvents',
  'managerStatus',
  'managerOffline',
  'managerSwitchPlan',
  'managerSwitch',
  'managerFailoverPlan',
  'managerFailover',
  'managerHold',
  'managerRelease',
  'managerUndo',
  'createAdminUser',
  'openapi',
  'docs',
  'live',
  'ready',
  'metrics',
]

describe('every call of the API', () => {
  it.each(components)('of the %s has a command of its own that follows the contracts', async (kind) => {
    const { tapi, apis, file } = await fakeHost(kind)
    const { sent, answers } = apis[kind]
    answers.set('managerTask', { payload: managerExamples.managerTask.response })
    answers.set('ping', {
      payload: { message: 'm', date: 'd', hostName: 'h', pid: 1, jvmUptime: 1 },
    })
    const path = await file('map.json', JSON.stringify(map))
    const made: string[] = []
    for (const [, argv, call] of calls.filter(([component]) => component === kind)) {
      const words = argv.replace('FILE', path).split(' ')
      const before = sent.length
      const sure = call.startsWith('POST') ? ['--i-am-sure'] : []
      expect(await tapi(['--component', kind, ...words, ...sure]), argv).toMatchObject({
        code: 0,
        stderr: '',
      })
      const [method, url = ''] = call.split(' ')
      const guard = method === 'POST' ? '?i-am-sure=true' : ''
      expect(
        sent.slice(before).map((it) => it.split(' ').slice(0, 2).join(' ')),
        argv,
      ).toEqual([`${method} /api/v2${url}${guard}`])
      made.push(`${method} /api/v2${url.split('?')[0]}`)
    }
    const missing = componentRoutes(kind).filter(({ method, path: template, name }) => {
      const pattern = new RegExp(`^${method} ${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return !elsewhere.includes(name) && !made.some((it) => pattern.test(it))
    })
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  it.each(calls.filter(([, , call]) => call.startsWith('POST')))(
    'of the %s: %s sends nothing without confirmation',
    async (kind, argv) => {
      const { tapi, apis, file } = await fakeHost(kind)
      const words = argv.replace('FILE', await file('map.json', JSON.stringify(map))).split(' ')
      const all = ['--component', kind, ...words]
      expect(await tapi(all)).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(
          /changes db1 .* there is no terminal to ask\.\n {2}fix: Confirm it with/,
        ),
      })
      const asked = await tapi(all, { typed: ['no\n'] })
      expect(asked).toMatchObject({ code: 1, stdout: '' })
      expect(asked.stderr).toMatch(
        /db1 (manager|connector|replicator) at https:.*\[yes\/no\] Nothing was changed\.\n$/,
      )
      expect(apis[kind].sent).toEqual([])
    },
  )
})
