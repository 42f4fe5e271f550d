import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { switchSteps } from '../../src/contracts/choices.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import type { SwitchOperation } from '../../src/contracts/managerPayloads.ts'
import { alphaWith } from '../tapi/fakeCluster.ts'
import { type FakeComponent, fakeComponent } from '../tapi/fakeComponent.ts'
import { db3 } from '../tapi/payloads.ts'
import { login } from './support/clusterFile.ts'
import type { Outcome, RunOptions } from './support/operator.ts'
import { createWorld, type Host, type World } from './support/world.ts'

const plan = managerExamples.managerSwitchPlan.response
const begun = managerExamples.managerSwitch.response
const complete = managerExamples.managerTask.response
const names = ['db1', 'db2', 'db3'] as const

/** Three hosts whose managers are stand-ins that keep to the contracts, behind their real sockets. */
describe.skipIf(process.platform !== 'linux')('muster switch (needs Linux)', () => {
  let world: World
  let managers: Readonly<Record<(typeof names)[number], FakeComponent>>

  const hostText = ({ name, address, directory, ports, clusterPort, ssh }: Host): string => `  ${name}:
    address: ${address}
    ssh: ${JSON.stringify(ssh)}
    options:
      install-directory: ${directory}
      manager-rest-api-port: ${ports.manager}
      replicator-rest-api-port: ${ports.replicator}
      cluster-port: ${clusterPort}
`
  const file = (): string => `cluster: alpha
defaults:
  rest-api-admin-user: admin
  service-manager: process
  user: ${login}
  datasource-type: mariadb
  replication-user: repl
  replication-password: !env REPLICATION_PASSWORD
  monitor-user: monitor
  monitor-password: !env REPLICATION_PASSWORD
services:
  alpha: { topology: clustered, master: db1, members: [db1, db2, db3] }
hosts:
${world.hosts.map(hostText).join('')}`

  const socketOf = (name: string): string => join(world.host(name).directory, 'data/manager.sock')
  const run = (
    argv: readonly string[] = [],
    options: RunOptions = {},
    operation: SwitchOperation = 'switch',
  ): Promise<Outcome> =>
    world.operator.muster(
      [operation, ...(options.typed === undefined ? ['--yes'] : []), ...argv, 'alpha.yaml'],
      options,
    )
  /** Calls of a manager that change something, without their guard. */
  const changes = (name: (typeof names)[number]): readonly string[] =>
    managers[name].sent
      .filter((it) => !it.startsWith('GET '))
      .map((it) =>
        it.replace('POST /api/v2/manager/control/service/alpha/', '').replace(/[?&]i-am-sure=true/, ''),
      )

  beforeAll(async () => {
    world = await createWorld(3)
    world.operator.env.REPLICATION_PASSWORD = 'x8Jw-Rt2q_Lm0'
    world.operator.write('alpha.yaml', file())
    const installed = await world.muster('install')
    expect(installed, `${installed.stdout}${installed.stderr}`).toMatchObject({ code: 0 })
    expect((await world.muster('stop')).code).toBe(0)
  })
  beforeEach(async () => {
    const started = await Promise.all(
      names.map(async (name) => {
        mkdirSync(dirname(socketOf(name)), { recursive: true })
        rmSync(socketOf(name), { force: true })
        return [name, await fakeComponent('manager', { user: 'u', password: 'p' }, socketOf(name))] as const
      }),
    )
    managers = Object.fromEntries(started) as typeof managers
    for (const [, { answers }] of started) {
      const both = alphaWith()
      answers.set('managerServiceStatus', {
        payload: { ...both, datasources: [...both.datasources, { ...db3, state: 'ONLINE', reason: null }] },
      })
      answers.set('managerSwitchPlan', { payload: plan })
      answers.set('managerSwitch', { payload: begun })
      answers.set('managerFailoverPlan', { payload: managerExamples.managerFailoverPlan.response })
      answers.set('managerFailover', { payload: managerExamples.managerFailover.response })
      answers.set('managerTask', { payload: complete })
    }
  })
  afterEach(async () => {
    await Promise.all(Object.values(managers).map((one) => one.close()))
    for (const { server } of world.hosts) server.setFault('none')
  })
  afterAll(() => world?.close())

  it('tells the manager of the present primary to switch, and no other one', async () => {
    const { code, stdout, stderr } = await run()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [plan, ...steps] = stdout.split('\n')
    expect(plan).toBe('alpha: db1 -> db2, led by the manager of db1')
    expect(steps.slice(0, -2).map((line) => line.split(':')[0])).toEqual(switchSteps)
    expect(steps.slice(-2).join('\n')).toBe(
      'alpha: db2 is the primary in place of db1; clients were held for 96 ms\n',
    )
    expect(changes('db1')).toEqual([expect.stringMatching(/^switch\?to=db2&id=[0-9a-f-]{36}&wait=1000$/)])
    expect([changes('db2'), changes('db3')]).toEqual([[], []])
  })

  it('lets the manager of the new primary lead where --to names one', async () => {
    const { code, stdout } = await run(['--to', 'db2', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      cluster: 'alpha',
      service: 'alpha',
      coordinator: 'db2',
      kind: 'ended',
      task: { state: 'complete', result: { newPrimary: 'db2' } },
    })
    expect(managers.db2.sent).toContain('GET /api/v2/manager/status/service/alpha/switch?to=db2')
    expect(changes('db1')).toEqual([])
  })

  it('replaces a primary whose host is gone', async () => {
    world.host('db1').server.setFault('close-before-banner')
    for (const { answers } of Object.values(managers)) {
      answers.set('managerTask', { payload: { ...complete, operation: 'failover' } })
    }
    const { code, stdout, stderr } = await run([], {}, 'failover')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { loss } = managerExamples.managerFailoverPlan.response
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^alpha: db1 -> db2, led by the manager of db[23]$/),
      `  ${loss}`,
    ])
    expect(stdout).not.toContain('drain')
    expect(changes('db1')).toEqual([])
    const told = [...changes('db2'), ...changes('db3')]
    expect(told.map((it) => it.split('?')[0])).toEqual(['failover'])
  })

  it('shows what a failover would do, and changes nothing, with --dry-run', async () => {
    const { code, stdout, stderr } = await world.operator.muster(['failover', '--dry-run', 'alpha.yaml'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^alpha: db1 -> db2, led by the manager of db[23]\n {2}db2 has all that db1 told/)
    expect(names.flatMap(changes)).toEqual([])
  })

  it('asks, and changes nothing without a yes', async () => {
    const { code, stderr } = await run([], { typed: 'no\n' })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        'Make db2 the primary of alpha in place of db1? Clients that write wait meanwhile. [yes/no]',
      ),
    ])
    expect(names.flatMap(changes)).toEqual([])
  })

  it('shows why the manager refuses, and changes nothing', async () => {
    const refusals = [{ datasource: 'db2', reason: 'It is 40 s behind', fix: 'Wait.' }]
    managers.db1.answers.set('managerSwitchPlan', { payload: { ...plan, refusals } })
    const { code, stderr } = await run()
    expect([code, stderr]).toEqual([
      1,
      'error: The switch is refused; nothing was changed.\n  db2: It is 40 s behind\n    fix: Wait.\n',
    ])
    expect(names.flatMap(changes)).toEqual([])
  })

  it('lets another manager lead where that of the primary is silent or its host away', async () => {
    await managers.db1.close()
    const { code, stdout } = await run()
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^alpha: db1 -> db2, led by the manager of db[23]\n/),
    ])
  })

  it('names every host where no manager can lead it', async () => {
    world.host('db3').server.setFault('close-before-banner')
    await managers.db1.close()
    managers.db2.answers.set('managerServiceStatus', { problem: 'not-ready' })
    const { code, stderr } = await run()
    expect([code, stderr]).toEqual([4, expect.stringMatching(/^error db[\s\S]*\nNothing was changed\.\n$/)])
    for (const words of ['error db1: ', 'error db2: it answered 503', 'error db3: ']) {
      expect(stderr).toContain(words)
    }
    expect(changes('db2')).toEqual([])
  })

  it('says why a switch failed, and exits with 1', async () => {
    const error = 'db2 had not applied all of it; db1 is the primary'
    managers.db1.answers.set('managerTask', {
      payload: { ...begun, state: 'failed', step: 'catch-up', error, endedAt: begun.startedAt },
    })
    const { code, stderr } = await run()
    expect([code, stderr]).toEqual([
      1,
      `error: The switch failed in the step catch-up: ${error}\n  fix: Remove the cause, then run muster switch again. \`muster status\` shows the primary.\n`,
    ])
  })

  it('follows a switch that was begun to its end after Ctrl-C', async () => {
    const stop = new AbortController()
    const tasks = [{ ...begun, step: 'drain' }, complete]
    managers.db1.answers.set('managerTask', () => {
      stop.abort()
      return { payload: tasks.shift() }
    })
    const { code, stdout, stderr } = await run([], { signal: stop.signal })
    expect([code, stderr]).toEqual([
      130,
      'stopping: a switch that was begun is followed to its end, for 8 s at most\n',
    ])
    expect(stdout).toContain('\nalpha: db2 is the primary in place of db1; ')
  })
})
