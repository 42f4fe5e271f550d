import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callAll } from '../../src/client/call.ts'
import { readSwitchTask } from '../../src/client/switchTask.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import { type ManagerOfHost, switchPrimary } from '../../src/deployment/switchPrimary.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { alphaWith } from '../tapi/fakeCluster.ts'
import { type FakeComponent, fakeComponent } from '../tapi/fakeComponent.ts'

const id = '1f0ff1f0-93f6-4b1c-8f0e-3f1a5b8b0c55'
const plan = { service: 'alpha', from: 'db1', to: 'db2', loss: null, refusals: [] }
const complete = managerExamples.managerTask.response
const begun = managerExamples.managerSwitch.response
const failed = {
  ...begun,
  state: 'failed',
  step: 'drain',
  error: 'db1 is the primary',
  endedAt: begun.startedAt,
}

const control = 'POST /api/v2/manager/control/service/alpha'
const told = `${control}/switch?to=db2&peers=held&id=${id}&wait=1000&i-am-sure=true`
const read = `GET /api/v2/manager/task/${id}?wait=1000`
const held = (step = 'hold'): string =>
  `${control}/hold?i-am-sure=true ${JSON.stringify({
    payloadType: 'HoldPayload',
    payloadVersion: '1',
    payload: { id, operation: 'switch', from: 'db1', to: 'db2', step, milliseconds: 8000 },
  })}`
const released = (primary: string | null): string =>
  `${control}/release?i-am-sure=true ${JSON.stringify({
    payloadType: 'ReleasePayload',
    payloadVersion: '1',
    payload: { id, primary },
  })}`

/** The managers of db1 to db3, of which db2 leads; `log` has what all of them were sent, in order. */
async function cluster() {
  const folder = temporaryFolder()
  const log: string[] = []
  const stop = new AbortController()
  /** Waits before a call is sent. */
  const before = new Map<string, Promise<unknown>>()
  let now = 0
  /** Moves the clock on. */
  const pass = (milliseconds: number): void => {
    now += milliseconds
  }
  const start = async (host: string): Promise<readonly [FakeComponent, ManagerOfHost]> => {
    const socket = join(folder, `${host}.sock`)
    const fake = await fakeComponent('manager', { user: 'u', password: 'p' }, socket)
    onTestFinished(() => fake.close())
    const call: ManagerOfHost['call'] = async (wanted) => {
      log.push(`${host}: ${wanted.path.split('?')[0]?.split('/').slice(-1)[0]}`)
      await before.get(log.at(-1) ?? '')
      const [result] = await callAll([{ ...wanted, id: 'x', target: { socket } }])
      if (result === undefined || 'error' in result) return { silence: result?.error.message ?? '' }
      return { status: result.status, body: result.body }
    }
    return [fake, { host, call }]
  }
  const [db1, one] = await start('db1')
  const [db2, coordinator] = await start('db2')
  const [db3, three] = await start('db3')
  db2.answers.set('managerSwitch', { payload: begun })
  db2.answers.set('managerTask', { payload: complete })
  const steps: string[] = []
  return {
    ...{ db1, db2, db3, log, steps, stop, before },
    pass,
    run: (onTask: (step: string) => void = () => {}) =>
      switchPrimary({
        operation: 'switch',
        coordinator,
        others: [one, three],
        plan,
        accept: [],
        id,
        onTask: ({ step }) => {
          steps.push(step)
          onTask(step)
        },
        clock: {
          now: () => now,
          wait: async (milliseconds) => pass(milliseconds),
        },
        signal: stop.signal,
      }),
  }
}

describe('switchPrimary', () => {
  it('holds the other hosts, tells the coordinator, and releases them with the new primary', async () => {
    const { db1, db2, db3, log, steps, run } = await cluster()
    expect(await run()).toEqual({
      end: { kind: 'ended', task: readSwitchTask({ payloadType: 'TaskPayload', payload: complete }) },
      isReleased: true,
      unreleased: [],
      heldMilliseconds: 100,
    })
    expect(steps).toEqual(['check', 'verify'])
    expect(db1.sent).toEqual([held(), released('db2')])
    expect(db3.sent).toEqual(db1.sent)
    expect(db2.sent).toEqual([told, read])
    expect(log.indexOf('db2: switch')).toBe(2)
    expect(log.slice(-2)).toEqual(['db1: release', 'db3: release'])
  })

  it('lets clients of the other hosts go on before the coordinator has read all servers again', async () => {
    const { db2, log, run } = await cluster()
    const releasedAt: number[] = []
    db2.answers.set('managerTask', { payload: { ...begun, step: 'verify' } })
    const { end } = await run(() => {
      releasedAt.push(log.length)
      // The end comes with the second answer.
      if (releasedAt.length === 2) db2.answers.set('managerTask', { payload: complete })
    })
    expect(end.kind).toBe('ended')
    expect(log.filter((it) => it.endsWith(': release'))).toHaveLength(2)
    expect(log.findIndex((it) => it.endsWith(': release'))).toBeLessThan(log.lastIndexOf(`db2: ${id}`))
  })

  it('releases all hosts and switches nothing if one cannot be held', async () => {
    const { db1, db2, db3, run } = await cluster()
    db3.answers.set('managerHold', { problem: 'wrong-state', detail: 'It is in another hold.' })
    expect(await run()).toMatchObject({
      end: {
        kind: 'not-held',
        problems: [{ host: 'db3', problem: '409 wrong-state: It is in another hold.' }],
      },
    })
    expect(db2.sent).toEqual([])
    expect(db1.sent).toEqual([held(), released(null)])
    expect(db3.sent).toEqual([held(), released(null)])
  })

  it('releases the others if the coordinator refuses, and says why it does', async () => {
    const { db1, db2, run } = await cluster()
    db2.answers.set('managerSwitch', { problem: 'operation-running', detail: 'A switch is under way.' })
    db2.answers.set('managerTask', { problem: 'not-found' })
    expect((await run()).end).toEqual({
      kind: 'refused',
      problem: '409 operation-running: A switch is under way.',
    })
    expect(db1.sent).toEqual([held(), released(null)])
  })

  it('releases the others with the writer of the coordinator after a switch that failed', async () => {
    const { db1, db2, run } = await cluster()
    db2.answers.set('managerTask', { payload: failed })
    db2.answers.set('managerServiceStatus', { payload: alphaWith() })
    expect(await run()).toMatchObject({ end: { kind: 'ended', task: { state: 'failed' } }, isReleased: true })
    expect(db1.sent).toEqual([held(), released('db1')])
  })

  it('lets the holds run out after a failure that is not settled', async () => {
    const { db1, db2, run } = await cluster()
    const writer = { datasource: null, code: null, reason: 'a switch is under way', hold: true }
    db2.answers.set('managerTask', { payload: failed })
    db2.answers.set('managerServiceStatus', { payload: alphaWith({}, { writer }) })
    expect(await run()).toMatchObject({ end: { kind: 'ended' }, isReleased: false, unreleased: [] })
    expect(db1.sent).toEqual([held()])
  })

  it('follows a switch whose first response was lost', async () => {
    const { db2, run, steps } = await cluster()
    db2.answers.set('managerSwitch', () => {
      db2.cut()
      return { payload: begun }
    })
    expect(await run()).toMatchObject({ end: { kind: 'ended', task: { state: 'complete' } } })
    expect(db2.sent).toEqual([told, read])
    expect(steps).toEqual(['verify'])
  })

  it('waits for a switch that begins after its response was lost', async () => {
    const { db2, run } = await cluster()
    db2.answers.set('managerSwitch', { problem: 'operation-running' })
    let times = 0
    db2.answers.set('managerTask', () => {
      times += 1
      return times < 4 ? { problem: 'not-found' } : { payload: complete }
    })
    expect(await run()).toMatchObject({ end: { kind: 'ended', task: { state: 'complete' } } })
  })

  it('does not know how a switch ended that the coordinator has forgotten', async () => {
    const { db1, db2, run } = await cluster()
    db2.answers.set('managerTask', { problem: 'not-found' })
    expect(await run()).toMatchObject({
      end: { kind: 'lost', problem: 'it does not know the switch' },
      isReleased: false,
    })
    expect(db1.sent).toEqual([held()])
  })

  it('renews the holds with the step that it knows, while the coordinator answers', async () => {
    const { db1, db2, run, pass } = await cluster()
    const tasks = [{ ...begun, step: 'promote' }, { ...begun, step: 'repoint' }, complete]
    let next = 0
    db2.answers.set('managerTask', () => {
      pass(3_900)
      return { payload: tasks[next++] }
    })
    expect(await run()).toMatchObject({ end: { kind: 'ended' } })
    expect(db1.sent).toEqual([held(), held('promote'), held('repoint'), released('db2')])
  })

  it('lets the holds of a coordinator run out that gives no answer', async () => {
    const { db1, db2, run } = await cluster()
    db2.answers.set('managerTask', { problem: 'not-ready' })
    expect((await run()).end).toEqual({ kind: 'lost', problem: 'it has not answered for 30 s' })
    expect(db1.sent).toEqual([held()])
  })

  it('follows a switch that was begun to its end after Ctrl-C', async () => {
    const { db1, db2, run, stop } = await cluster()
    const tasks = [{ ...begun, step: 'drain' }, { ...begun, step: 'repoint' }, complete]
    db2.answers.set('managerTask', () => {
      stop.abort()
      return { payload: tasks.shift() }
    })
    expect(await run()).toMatchObject({ end: { kind: 'ended' }, isReleased: true })
    expect(db1.sent).toEqual([held(), released('db2')])
  })

  it('follows a switch after Ctrl-C for as long as a hold lasts', async () => {
    const { db1, db2, run, stop } = await cluster()
    db2.answers.set('managerTask', () => {
      stop.abort()
      return { payload: { ...begun, step: 'drain' } }
    })
    const { end, isReleased, heldMilliseconds } = await run()
    expect([end.kind, isReleased]).toEqual(['lost', false])
    expect(heldMilliseconds).toBeGreaterThan(8_000)
    expect(heldMilliseconds).toBeLessThan(9_500)
    expect(db1.sent).not.toContain(released(null))
  })

  it('does not begin after Ctrl-C during the hold', async () => {
    const { db1, db2, run, stop } = await cluster()
    db1.answers.set('managerHold', () => {
      stop.abort()
      return { payload: { value: true, changed: true } }
    })
    expect((await run()).end).toEqual({ kind: 'interrupted' })
    expect(db1.sent).toEqual([held(), released(null)])
    expect(db2.sent).toEqual([])
  })

  it('releases no host before its hold has arrived', async () => {
    const { db3, run, stop, before } = await cluster()
    let arrive = (): void => undefined
    const late = new Promise<void>((resolve) => {
      arrive = resolve
    })
    before.set('db3: hold', late)
    const outcome = run()
    stop.abort()
    await setImmediate()
    expect(db3.sent).toEqual([])
    arrive()
    expect((await outcome).end).toEqual({ kind: 'interrupted' })
    expect(db3.sent).toEqual([held(), released(null)])
  })

  it('lets the holds run out if this program fails after it began the switch', async () => {
    const { db1, db3, run } = await cluster()
    const fail = (): never => {
      throw new Error('the disk is full')
    }
    await expect(run(fail)).rejects.toThrow('the disk is full')
    expect([db1.sent, db3.sent]).toEqual([[held()], [held()]])
  })

  it('tells a host the end of the switch once more, then names it', async () => {
    const { db1, db3, run } = await cluster()
    let times = 0
    db1.answers.set('managerRelease', () => {
      times += 1
      return times === 1 ? { problem: 'busy' } : { payload: { value: true, changed: true } }
    })
    db3.answers.set('managerRelease', { problem: 'not-ready', detail: 'It starts.' })
    expect(await run()).toMatchObject({
      end: { kind: 'ended' },
      unreleased: [{ host: 'db3', problem: '503 not-ready: It starts.' }],
    })
    expect(times).toBe(2)
  })
})
