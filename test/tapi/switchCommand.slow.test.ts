import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { TaskPayload } from '../../src/contracts/managerPayloads.ts'
import { fakeHost } from './fakeHost.ts'
import { db3, map } from './payloads.ts'

const taskId = '1f0ff1f0-93f6-4b1c-8f0e-3f1a5b8b0c55'
const plan = { service: 'alpha', from: 'db1', to: 'db2', loss: null, refusals: [] }
const begun: TaskPayload = {
  taskId,
  state: 'in_progress',
  operation: 'switch',
  service: 'alpha',
  step: 'check',
  startedAt: '2025-03-11T08:30:00.000Z',
  endedAt: null,
  result: null,
  error: null,
}
const done: TaskPayload = {
  ...begun,
  state: 'complete',
  step: 'release',
  endedAt: '2025-03-11T08:30:00.140Z',
  result: {
    oldPrimary: 'db1',
    newPrimary: 'db2',
    heldMilliseconds: 96,
    remarks: ['db3 was away \u001b[31m and does not follow db2 yet'],
  },
}
const failed: TaskPayload = {
  ...begun,
  state: 'failed',
  step: 'catch-up',
  endedAt: '2025-03-11T08:30:09.000Z',
  error: 'db2 had not applied all of it after 5 s \u001b[31m; db1 is the primary',
}

const asked = 'GET /api/v2/manager/status/service/alpha/switch'
const told = 'POST /api/v2/manager/control/service/alpha/switch?to=db2&i-am-sure=true'
const read = `GET /api/v2/manager/task/${taskId}?wait=500`

async function host(tasks: readonly TaskPayload[] = [done]) {
  const { tapi, apis } = await fakeHost('manager')
  const { answers, sent } = apis.manager
  answers.set('managerServicesMap', { payload: map })
  answers.set('managerSwitchPlan', { payload: plan })
  answers.set('managerSwitch', { payload: begun })
  const left = [...tasks]
  answers.set('managerTask', () => ({ payload: left.length > 1 ? left.shift() : left[0] }))
  return { tapi, answers, sent, manager: apis.manager }
}

describe('tapi switch', () => {
  it('shows the plan, switches to what it showed, and says how to follow it', async () => {
    const { tapi, sent } = await host()
    expect(await tapi(['switch', 'alpha', '--i-am-sure'])).toEqual({
      code: 0,
      stdout: `alpha: db1 -> db2
task       ${taskId}
operation  switch of alpha
state      in progress
step       check
started    2025-03-11 08:30:00 UTC
ended      -
`,
      stderr: `note: \`tapi --host db1 task ${taskId}\` shows how far it is\n`,
    })
    expect(sent).toEqual([asked, told])
  })

  it('finds the only service, and passes --to on', async () => {
    const { tapi, sent } = await host()
    expect((await tapi(['switch', '--to', 'db2', '--i-am-sure'])).code).toBe(0)
    expect(sent).toEqual(['GET /api/v2/manager/configuration/module/servicesmap', `${asked}?to=db2`, told])
  })

  it('asks with both names, and changes nothing without a yes', async () => {
    const { tapi, sent } = await host()
    const { code, stdout, stderr } = await tapi(['switch', 'alpha'], { typed: ['no\n'] })
    expect([code, stdout]).toEqual([1, 'alpha: db1 -> db2\n'])
    expect(stderr).toMatch(
      /^Make db2 the primary of alpha in place of db1, led by db1 manager at https:\S+\? Clients that write wait meanwhile\. \[yes\/no\] Nothing was changed\.\n$/,
    )
    expect((await tapi(['switch', 'alpha'])).stderr).toContain('Confirm it with --i-am-sure.')
    expect(sent).toEqual([asked, asked])
  })

  it('lists each refusal with who, why and the fix, exits with 1, and changes nothing', async () => {
    const { tapi, answers, sent } = await host()
    const refusals = [
      { datasource: 'db2', reason: 'It is 40 s behind \u001b[31m', fix: null },
      { datasource: null, reason: 'Grants are missing', fix: "GRANT SUPER ON *.* TO 'm';\nGRANT X;" },
    ]
    const refused = { ...plan, to: null, refusals }
    answers.set('managerSwitchPlan', { payload: refused })
    expect(await tapi(['switch', 'alpha', '--i-am-sure', '--wait'])).toEqual({
      code: 1,
      stdout: 'alpha: db1 -> none\n',
      stderr: `error: The switch is refused; nothing was changed.
  db2: It is 40 s behind \\x1b[31m
  alpha: Grants are missing
    fix: GRANT SUPER ON *.* TO 'm';
         GRANT X;
`,
    })
    const json = await tapi(['switch', 'alpha', '--json', '--i-am-sure'])
    expect([json.code, JSON.parse(json.stdout).payload]).toEqual([1, refused])
    expect(sent).toEqual([asked, asked])
  })

  it('--dry-run shows the plan, and asks and changes nothing', async () => {
    const { tapi, sent } = await host()
    expect(await tapi(['switch', 'alpha', '--dry-run'])).toEqual({
      code: 0,
      stdout: 'alpha: db1 -> db2\n',
      stderr: '',
    })
    const json = await tapi(['switch', 'alpha', '--dry-run', '--json'])
    expect([json.code, JSON.parse(json.stdout).payload]).toEqual([0, plan])
    expect(sent).toEqual([asked, asked])
  })

  it('shows the problem of a manager that refuses after all', async () => {
    const { tapi, answers } = await host()
    answers.set('managerSwitch', { problem: 'operation-running', detail: 'A switch is under way.' })
    expect(await tapi(['switch', 'alpha', '--i-am-sure', '--wait'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[409 operation-running]\n  A switch is under way.\n'),
    })
  })

  it('--wait prints each step once and the time that clients waited', async () => {
    const hold: TaskPayload = { ...begun, step: 'hold' }
    const { tapi, sent } = await host([begun, hold, hold, { ...begun, step: 'promote' }, done])
    expect(await tapi(['switch', 'alpha', '--i-am-sure', '--wait'])).toEqual({
      code: 0,
      stdout: `alpha: db1 -> db2
check: all servers are read
hold: clients that write wait
drain: open transactions of db1 end
freeze: db1 becomes read-only
catch-up: db2 applies the last transactions
promote: db2 becomes writable
repoint: the others follow db2
release: clients go on
alpha: db2 is the primary in place of db1; clients were held for 96 ms
`,
      stderr: 'note: db3 was away \\x1b[31m and does not follow db2 yet\n',
    })
    expect(sent).toEqual([asked, told, read, read, read, read, read])
  })

  it('--wait exits with 1 and says why if the switch failed', async () => {
    const { tapi } = await host([failed])
    const { code, stdout, stderr } = await tapi(['switch', 'alpha', '--i-am-sure', '--wait'])
    expect([code, stdout]).toEqual([
      1,
      [
        'alpha: db1 -> db2',
        'check: all servers are read',
        'hold: clients that write wait',
        'drain: open transactions of db1 end',
        'freeze: db1 becomes read-only',
        'catch-up: db2 applies the last transactions',
        '',
      ].join('\n'),
    ])
    expect(
      stderr,
    ).toBe(`error: The switch failed in the step catch-up: db2 had not applied all of it after 5 s \\x1b[31m; db1 is the primary
  fix: Remove the cause, then run tapi switch again. \`tapi service status\` shows the primary.
`)
  })

  it('--wait --json prints the last task alone', async () => {
    for (const [task, code] of [
      [done, 0],
      [failed, 1],
    ] as const) {
      const { tapi } = await host([begun, task])
      const ran = await tapi(['switch', 'alpha', '--i-am-sure', '--wait', '--json'])
      expect([ran.code, JSON.parse(ran.stdout).payload, ran.stderr]).toEqual([code, task, ''])
    }
  })

  it('--wait asks a manager again that is not ready for a moment', async () => {
    const { tapi, answers } = await host()
    const readings = [{ problem: 'not-ready' }, { problem: 'stopping' }, { payload: done }] as const
    let next = 0
    answers.set('managerTask', () => readings[Math.min(next++, 2)] ?? readings[2])
    expect((await tapi(['switch', 'alpha', '--i-am-sure', '--wait'])).code).toBe(0)
    expect(next).toBe(3)
  })

  it('--wait asks a manager again that cut the connection', async () => {
    const { tapi, answers, manager } = await host()
    let next = 0
    answers.set('managerTask', () => {
      next += 1
      if (next === 1) manager.cut()
      return { payload: done }
    })
    expect((await tapi(['switch', 'alpha', '--i-am-sure', '--wait'])).code).toBe(0)
    expect(next).toBe(2)
  })

  it('--wait exits with 4 and says what to do if the manager is gone for 30 s', async () => {
    const { tapi, answers, manager } = await host()
    const { now } = performance
    onTestFinished(() => void vi.restoreAllMocks())
    answers.set('managerTask', () => {
      vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 30_000)
      manager.cut()
      return { payload: begun }
    })
    const { code, stderr } = await tapi(['switch', 'alpha', '--i-am-sure', '--wait'])
    expect(code).toBe(4)
    expect(stderr).toMatch(
      /^error: db1 manager at https:\S+ has not answered for 30 s; the switch of alpha may have gone on without it\. \[timeout\]\n {2}fix: Look at `tapi --host HOST service status alpha` on another host/,
    )
  })

  it('--wait ends with the problem of a manager that no longer knows the task', async () => {
    const { tapi, answers } = await host()
    answers.set('managerTask', { problem: 'not-found' })
    expect(await tapi(['switch', 'alpha', '--i-am-sure', '--wait'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[404 not-found]'),
    })
  })

  it('--wait says on Ctrl-C that the switch goes on', async () => {
    const { tapi, answers } = await host()
    const stop = new AbortController()
    answers.set('managerTask', () => {
      stop.abort()
      return { payload: begun }
    })
    expect(await tapi(['switch', 'alpha', '--i-am-sure', '--wait'], { signal: stop.signal })).toMatchObject({
      code: 130,
      stderr: `note: the switch goes on; \`tapi --host db1 task ${taskId}\` shows how far it is\n`,
    })
  })

  it('is for one host alone', async () => {
    const { tapi, sent } = await host()
    const { code, stderr } = await tapi(['--all', 'switch', '--i-am-sure'])
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('switch changes the whole cluster through the manager of one host'),
    ])
    expect(sent).toEqual([])
  })
})

describe('tapi task', () => {
  it('shows a switch, and exits with 1 if it failed', async () => {
    const { tapi, answers } = await host()
    expect(await tapi(['task', taskId])).toEqual({
      code: 0,
      stdout: `task       ${taskId}
operation  switch of alpha
state      complete
step       release
started    2025-03-11 08:30:00 UTC
ended      2025-03-11 08:30:00 UTC
primary    db2 in place of db1
clients    waited 96 ms
remark     db3 was away \\x1b[31m and does not follow db2 yet
`,
      stderr: '',
    })
    answers.set('managerTask', { payload: failed })
    const { code, stdout } = await tapi(['task', taskId])
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(
        'error      db2 had not applied all of it after 5 s \\x1b[31m; db1 is the primary\n',
      ),
    ])
  })
})

describe('tapi datasource recover', () => {
  const words = 'db3 follows db1; let it follow db2 by GTID.'
  const recover = 'POST /api/v2/manager/control/service/alpha/datasource/db3/recover?i-am-sure=true'
  const errors = [{ path: '?repoint', message: 'is missing' }]

  async function astray() {
    const { tapi, answers, sent } = await host()
    let offered = false
    answers.set('managerRecover', () => {
      if (offered) return { payload: { ...db3, changed: true } }
      offered = true
      return { problem: 'wrong-state', detail: words, errors }
    })
    return { tapi, answers, sent }
  }

  it('shows what re-pointing would do, asks, and repeats the call with it', async () => {
    const { tapi, sent } = await astray()
    const { code, stdout, stderr } = await tapi(['datasource', 'recover', 'db3', '--service', 'alpha'], {
      typed: ['yes\n', 'yes\n'],
    })
    expect([code, stdout]).toEqual([0, expect.stringContaining('changed      yes\n')])
    expect(stderr).toContain(`[yes/no] ${words} Go on? [yes/no] `)
    expect(sent).toEqual([recover, `${recover}&repoint=yes`])
  })

  it('does not re-point without a second yes', async () => {
    const { tapi, sent } = await astray()
    expect(
      await tapi(['datasource', 'recover', 'db3', '--service', 'alpha'], { typed: ['yes\n', 'no\n'] }),
    ).toMatchObject({ code: 1, stderr: expect.stringMatching(/Nothing was changed\.\n$/) })
    expect(sent).toEqual([recover])
  })

  it('--i-am-sure agrees to both, and the words are still shown', async () => {
    const { tapi, sent } = await astray()
    expect(await tapi(['datasource', 'recover', 'db3', '--service', 'alpha', '--i-am-sure'])).toMatchObject({
      code: 0,
      stderr: `note: ${words}\n`,
    })
    expect(sent).toHaveLength(2)
  })

  it('shows a refusal that offers nothing', async () => {
    const { tapi, answers, sent } = await astray()
    answers.set('managerRecover', { problem: 'wrong-state', detail: 'It is ONLINE.' })
    expect(await tapi(['datasource', 'recover', 'db3', '--service', 'alpha', '--i-am-sure'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It is ONLINE.'),
    })
    expect(sent).toEqual([recover])
  })
})

describe('tapi failover', () => {
  it('says what may be lost, asks, and tells each step but the one that it leaves out', async () => {
    const { tapi, answers, sent } = await host([
      { ...begun, operation: 'failover', step: 'freeze' },
      { ...done, operation: 'failover' },
    ])
    const loss = 'Lost: 2 transactions that db1 told and no survivor has (0-1-35 \u001b[31m).'
    answers.set('managerFailoverPlan', { payload: { ...plan, loss } })
    answers.set('managerFailover', { payload: { ...begun, operation: 'failover' } })
    const { code, stdout } = await tapi(['failover', 'alpha', '--to', 'db2', '--i-am-sure', '--wait'])
    expect([code, stdout]).toEqual([
      0,
      `alpha: db1 -> db2
  Lost: 2 transactions that db1 told and no survivor has (0-1-35 \\x1b[31m).
check: all servers are read
hold: clients that write wait
freeze: the others leave db1
catch-up: db2 applies the last transactions
promote: db2 becomes writable
repoint: the others follow db2
release: clients go on
alpha: db2 is the primary in place of db1; clients were held for 96 ms
`,
    ])
    expect(sent.slice(0, 2)).toEqual([
      asked.replace('switch', 'failover?to=db2'),
      told.replace('switch', 'failover'),
    ])
    const { stderr } = await tapi(['failover', 'alpha'], { typed: ['no\n'] })
    expect(stderr).toMatch(
      /^Make db2 the primary of alpha in place of db1, which is lost, led by db1 manager at /,
    )
  })
})
