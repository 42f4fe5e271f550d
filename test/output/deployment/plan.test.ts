import { describe, expect, it } from 'vitest'
import type { HostOutcome } from '../../../src/deployment/events.ts'
import { allInParallel, canaryThenBatches, type Rollout } from '../../../src/deployment/execution/rollout.ts'
import { scheduleOf } from '../../../src/deployment/execution/schedule.ts'
import type { HostPlan } from '../../../src/deployment/hostPlan.ts'
import { change, creation, deletion } from '../../../src/deployment/step.ts'
import { planJson, planText, releaseChangesText, wavesText } from '../../../src/output/deployment/plan.ts'
import { waveTitle } from '../../../src/output/deployment/progress.ts'
import { nextStepsText } from '../../../src/output/deployment/verdict.ts'

const step = {
  id: 'settings',
  title: 'write settings',
  phase: 'commit' as const,
  check: () => undefined,
  apply: async () => {},
}
const plans: readonly HostPlan[] = [
  {
    host: 'db1',
    address: '10.0.0.11',
    steps: [{ step, change: change('write settings', ['manager-rest-api-port: 8090 → 18090']) }],
  },
  { host: 'db2', address: '10.0.0.12', steps: [] },
]

describe('planText', () => {
  it('shows hosts with their changes, and names the others', () => {
    expect(
      planText({ cluster: 'alpha', notes: ['make the certificate authority'], plans, colour: false }),
    ).toBe(
      `alpha: changes on 1 of 2 hosts
  * make the certificate authority

db1 (10.0.0.11)
  ~ write settings
      manager-rest-api-port: 8090 → 18090

db2: nothing to do

Plan: 0 to add, 1 to change, 0 to remove on 1 host
`,
    )
  })

  it('writes equal changes of many hosts once', () => {
    const details = ['manager: log-level: info → debug', 'connector: log-level: info → debug']
    const settings = { step, change: change('write settings', details) }
    const restart = { step: { ...step, id: 'services' }, change: change('restart manager') }
    const plan = (number: number, ...steps: HostPlan['steps']): HostPlan => ({
      host: `db${number}`,
      address: `10.0.0.${number}`,
      steps,
    })
    const many = Array.from({ length: 48 }, (_, index) => plan(index + 3, settings, restart))
    const all = [plan(1, settings, restart), plan(2, settings), ...many]
    expect(planText({ cluster: 'alpha', notes: [], plans: all, colour: false })).toMatchInlineSnapshot(`
      "alpha: changes on 50 of 50 hosts

      db1 (10.0.0.1)
        ~ write settings
            manager: log-level: info → debug
            connector: log-level: info → debug
        ~ restart manager
      db3, db4, db5, db6, db7, db8, db9, db10, db11, db12, db13, db14 and 36 more: the same

      db2 (10.0.0.2)
        ~ write settings
            as on db1

      Plan: 0 to add, 99 to change, 0 to remove on 50 hosts
      "
    `)
    const json = JSON.parse(planJson({ cluster: 'alpha', notes: [], plans: all, excluded: [], grants: [] }))
    expect(json.hosts.map((one: { changes: unknown[] }) => one.changes.length)).toEqual([
      2,
      1,
      ...many.map(() => 2),
    ])
  })

  it('merges hosts whose changes differ only by name and address, and says so', () => {
    const plan = (host: string, address: string, of = host): HostPlan => ({
      host,
      address,
      steps: [
        { step, change: creation('issue a certificate', [`for ${of} and ${address}`, 'share/tls: new']) },
      ],
    })
    const plans = [
      plan('db1', '10.0.0.1'),
      plan('db10', '10.0.0.10'),
      plan('db2', '10.0.0.2'),
      plan('db3', '10.0.0.3', 'db1'),
    ]
    expect(planText({ cluster: 'alpha', notes: [], plans, colour: false })).toMatchInlineSnapshot(`
      "alpha: changes on 4 of 4 hosts

      db1 (10.0.0.1)
        + issue a certificate
            for db1 and 10.0.0.1
            share/tls: new
      db10 and db2: the same, each with its own name and address

      db3 (10.0.0.3)
        + issue a certificate
            for db1 and 10.0.0.3
            share/tls: new

      Plan: 4 to add, 0 to change, 0 to remove on 4 hosts
      "
    `)
  })

  it('has one line if there is nothing to do', () => {
    const [, unchanged] = plans
    expect(
      planText({
        cluster: 'alpha',
        notes: [],
        plans: unchanged === undefined ? [] : [unchanged],
        colour: false,
      }),
    ).toBe('alpha: nothing to do on 1 host.\n')
  })

  it('notes that connectors restart one after another, and the drain time', () => {
    const draining = (host: string, drains: number): HostPlan => ({
      host,
      address: '10.0.0.1',
      steps: [{ step, change: { ...change('restart connector'), drains } }],
    })
    const head = (...draining: readonly HostPlan[]) =>
      planText({ cluster: 'alpha', notes: [], plans: [...draining, ...plans], colour: false }).split('\n')[1]
    expect(head(draining('db3', 30_000))).toBe(
      '  * restart the connector of db3; its clients have 30 s to finish',
    )
    expect(head(draining('db3', 30_000), draining('db4', 500))).toBe(
      '  * restart the connectors one after another; their clients have 30 s each to finish: db3 and db4',
    )
    expect(head()).toBe('')
  })

  it('shows the notes also if no host changes', () => {
    const notes = ['delete .muster/alpha']
    expect(planText({ cluster: 'alpha', notes, plans: [], colour: false })).toBe(
      'alpha: nothing to do on 0 hosts.\n  * delete .muster/alpha\n',
    )
  })

  it('names the hosts that are not selected', () => {
    const [, unchanged] = plans
    const text = (of: readonly (HostPlan | undefined)[]) =>
      planText({
        cluster: 'alpha',
        notes: [],
        plans: of.flatMap((one) => one ?? []),
        excluded: ['db3', 'db4'],
        colour: false,
      })
    expect(text([unchanged])).toBe('alpha: nothing to do on db2.\ndb3 and db4: not selected\n')
    expect(text(plans)).toMatch(
      /^alpha: changes on 1 of 2 hosts\n[\s\S]*\n\ndb3 and db4: not selected\n\nPlan: .*\n$/,
    )
  })

  it('ends with the number of changes by their mark, and of the hosts that have any', () => {
    const told = [creation('a'), creation('b'), change('c'), deletion('d')].map((one) => ({
      step,
      change: one,
    }))
    const many = ['db1', 'db2', 'db3'].map((host): HostPlan => ({ host, address: host, steps: told }))
    const text = planText({ cluster: 'alpha', notes: [], plans: [...many, ...plans], colour: false })
    expect(text.split('\n').slice(1, 8)).toEqual([
      '',
      'db1 (db1)',
      '  + a',
      '  + b',
      '  ~ c',
      '  - d',
      'db2 and db3: the same',
    ])
    expect(text).toMatch(/\nPlan: 6 to add, 4 to change, 3 to remove on 4 hosts\n$/)
  })

  it('has colours only if requested', () => {
    const told = [creation('a'), change('b'), deletion('c')].map((one) => ({ step, change: one }))
    const coloured = [{ host: 'db1', address: '10.0.0.11', steps: told }]
    const text = planText({ cluster: 'alpha', notes: [], plans: coloured, colour: true })
    expect(['\u001b[32m+', '\u001b[33m~', '\u001b[31m-'].map((mark) => text.includes(mark))).toEqual([
      true,
      true,
      true,
    ])
  })
})

const grants = [{ option: 'monitor-user', user: 'm', type: 'mysql', sql: 'CREATE' }] as const

describe('planJson', () => {
  it('has the same content as JSON', () => {
    expect(JSON.parse(planJson({ cluster: 'alpha', notes: [], plans, excluded: ['db3'], grants }))).toEqual({
      cluster: 'alpha',
      changes: true,
      counts: { add: 0, change: 1, remove: 0, hosts: 1 },
      notes: [],
      hosts: [
        {
          host: 'db1',
          address: '10.0.0.11',
          changes: [
            {
              step: 'settings',
              phase: 'commit',
              summary: 'write settings',
              details: ['manager-rest-api-port: 8090 → 18090'],
            },
          ],
        },
        { host: 'db2', address: '10.0.0.12', changes: [] },
      ],
      left: ['db3'],
      grants,
    })
  })
})

describe('planText on a terminal', () => {
  it('wraps lines between words', () => {
    const hosts = Array.from(
      { length: 6 },
      (_, index): HostPlan => ({
        host: `database${index + 1}`,
        address: '10.0.0.1',
        steps: [{ step, change: change('switch from 0.1.0-5e439ef4f289 to release 0.2.0-d75095271b17') }],
      }),
    )
    const idle = hosts.map(({ host, address }): HostPlan => ({ host: `${host}b`, address, steps: [] }))
    const text = planText({
      cluster: 'alpha',
      notes: ['issue certificates for database1, database2 and database3'],
      plans: [...hosts, ...idle],
      excluded: ['elsewhere1', 'elsewhere2', 'elsewhere3', 'elsewhere4'],
      colour: false,
      width: 40,
    })
    expect(text).toMatchInlineSnapshot(`
      "alpha: changes on 6 of 12 hosts
        * issue certificates for database1,
          database2 and database3

      database1 (10.0.0.1)
        ~ switch from 0.1.0-5e439ef4f289 to
          release 0.2.0-d75095271b17
      database2, database3, database4,
        database5 and database6: the same

      database1b, database2b, database3b,
        database4b, database5b and database6b:
        nothing to do

      elsewhere1, elsewhere2, elsewhere3 and
        elsewhere4: not selected

      Plan: 0 to add, 6 to change, 0 to remove
        on 6 hosts
      "
    `)
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40)
  })
})

const order = (count: number, rollout: Rollout) => {
  const candidates = Array.from({ length: count }, (_, index) => {
    return { host: `db${index + 1}`, changes: true, inTurn: false }
  })
  return wavesText(scheduleOf(candidates, rollout), rollout)
}

describe('wavesText', () => {
  it('has one line, and none if all hosts change at once', () => {
    expect(order(3, allInParallel)).toBeUndefined()
    expect(order(1, canaryThenBatches)).toBeUndefined()
    expect(order(2, canaryThenBatches)).toBe(
      '2 waves: db1 alone, then db2; a failure stops the run before the next wave',
    )
    expect(order(3, canaryThenBatches)).toBe(
      '3 waves: db1 alone, then at most 1 host each; a failure stops the run before the next wave',
    )
    expect(order(50, { ...canaryThenBatches, maxFailed: 2 })).toBe(
      '6 waves: db1 alone, then at most 12 hosts each; more than 2 failures stop the run before the next wave',
    )
    expect(order(4, { ...allInParallel, batch: { hosts: 2 } })).toBe(
      '2 waves of at most 2 hosts; a failure stops the run before the next wave',
    )
  })

  it('counts waves like the progress display', () => {
    const waves = scheduleOf(
      Array.from({ length: 4 }, (_, index) => ({ host: `db${index + 1}`, changes: true, inTurn: false })),
      canaryThenBatches,
    )
    const titles = waves.map((wave, index) =>
      waveTitle({ type: 'wave-started', wave: index + 1, of: waves.length, ...wave }),
    )
    expect(wavesText(waves, canaryThenBatches)).toMatch(/^4 waves: db1 alone, /)
    expect(titles).toEqual(['wave 1 of 4 (canary)', 'wave 2 of 4', 'wave 3 of 4', 'wave 4 of 4'])
  })
})

describe('releaseChangesText', () => {
  it('has one line for all hosts with the same change', () => {
    const move = (host: string, from: string) => ({ host, from, to: '1.1.0-b' })
    expect(
      releaseChangesText([move('db1', '1.0.0-a'), move('db2', '1.1.0-b'), move('db3', '1.0.0-a')]),
    ).toEqual(['release 1.0.0-a → 1.1.0-b: db1 and db3'])
  })
})

describe('nextStepsText', () => {
  const outcome = (host: string, result: HostOutcome['result'], reason?: string): HostOutcome => ({
    host,
    result,
    applied: [],
    seconds: {},
    ...(reason === undefined ? {} : { reason }),
  })

  it('names the next step after a failed canary', () => {
    const outcomes = [
      outcome('db1', 'failed'),
      ...['db2', 'db3'].map((it) => outcome(it, 'not-started', 'x')),
    ]
    expect(nextStepsText('upgrade', outcomes)).toBe(
      '2 hosts not started. Fix the reported problem on db1, then run `muster upgrade` again: it continues with what is left.\n',
    )
  })

  it('names the release of the hosts that are done', () => {
    const outcomes = [
      outcome('db1', 'changed'),
      outcome('db2', 'unreachable'),
      outcome('db3', 'not-started', 'x'),
    ]
    expect(nextStepsText('upgrade', outcomes)).toBe(
      '1 host not started. Fix the reported problem on db2, then run `muster upgrade` again: it continues with what is left.\n' +
        'db1 runs the new release; `muster rollback --host db1` returns db1 to the previous one.\n',
    )
    expect(nextStepsText('restart', outcomes)?.split('\n')).toHaveLength(2)
  })

  it('counts the stopped hosts, except after Ctrl-C', () => {
    const stopped = (...reason: readonly string[]) => [
      outcome('db1', 'failed'),
      outcome('db2', 'stopped', ...reason),
    ]
    expect(nextStepsText('install', stopped('x'))).toMatch(
      /^1 host stopped half-way\. Fix the reported problem on db1,/,
    )
    expect(nextStepsText('install', stopped())).toBeUndefined()
  })

  it('is undefined if every host was processed', () => {
    expect(nextStepsText('install', [outcome('db1', 'failed'), outcome('db2', 'changed')])).toBeUndefined()
  })
})
