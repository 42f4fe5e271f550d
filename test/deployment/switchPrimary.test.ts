import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callAll } from '../../src/client/call.ts'
import { readSwitchTask } from '../../src/client/switchTask.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import { chooseManager, type ManagerOfHost, switchPrimary } from '../../src/deployment/switchPrimary.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { alphaWith } from '../tapi/fakeCluster.ts'
import { fakeComponent } from '../tapi/fakeComponent.ts'

const id = '1f0ff1f0-93f6-4b1c-8f0e-3f1a5b8b0c55'
const complete = managerExamples.managerTask.response
const begun = managerExamples.managerSwitch.response

const told = `POST /api/v2/manager/control/service/alpha/switch?to=db2&id=${id}&wait=1000&i-am-sure=true`
const read = `GET /api/v2/manager/task/${id}?wait=1000`

/** The manager of a host, called over its socket. */
async function managerOn(host: string) {
  const socket = join(temporaryFolder(), 'manager.sock')
  const fake = await fakeComponent('manager', { user: 'u', password: 'p' }, socket)
  onTestFinished(() => fake.close())
  const call: ManagerOfHost['call'] = async (wanted) => {
    const [result] = await callAll([{ ...wanted, id: 'x', target: { socket } }])
    if (result === undefined || 'error' in result) return { silence: result?.error.message ?? '' }
    return { status: result.status, body: result.body }
  }
  return { fake, manager: { host, call } satisfies ManagerOfHost }
}

/** The manager of db2, which is told to switch. */
async function world() {
  const { fake: db2, manager } = await managerOn('db2')
  db2.answers.set('managerSwitch', { payload: begun })
  db2.answers.set('managerTask', { payload: complete })
  const stop = new AbortController()
  const steps: string[] = []
  let now = 0
  return {
    ...{ db2, steps, stop },
    run: () =>
      switchPrimary({
        ...{ operation: 'switch', manager, service: 'alpha', to: 'db2', accept: [], id },
        onTask: ({ step }) => void steps.push(step),
        clock: {
          now: () => now,
          wait: async (milliseconds) => {
            now += milliseconds
          },
        },
        signal: stop.signal,
      }),
  }
}

describe('switchPrimary', () => {
  it('tells a manager to switch, and follows that to its end', async () => {
    const { db2, steps, run } = await world()
    expect(await run()).toEqual({
      kind: 'ended',
      task: readSwitchTask({ payloadType: 'TaskPayload', payload: complete }),
    })
    expect(steps).toEqual(['check', 'verify'])
    expect(db2.sent).toEqual([told, read])
  })

  it('says why the manager refuses', async () => {
    const { db2, run } = await world()
    db2.answers.set('managerSwitch', { problem: 'operation-running', detail: 'A switch is under way.' })
    db2.answers.set('managerTask', { problem: 'not-found' })
    expect(await run()).toEqual({
      kind: 'refused',
      problem: '409 operation-running: A switch is under way.',
    })
  })

  it('follows a switch whose first response was lost', async () => {
    const { db2, run, steps } = await world()
    db2.answers.set('managerSwitch', () => {
      db2.cut()
      return { payload: begun }
    })
    expect(await run()).toMatchObject({ kind: 'ended', task: { state: 'complete' } })
    expect(db2.sent).toEqual([told, read])
    expect(steps).toEqual(['verify'])
  })

  it('waits for a switch that begins after its response was lost', async () => {
    const { db2, run } = await world()
    db2.answers.set('managerSwitch', { problem: 'operation-running' })
    let times = 0
    db2.answers.set('managerTask', () => {
      times += 1
      return times < 4 ? { problem: 'not-found' } : { payload: complete }
    })
    expect(await run()).toMatchObject({ kind: 'ended', task: { state: 'complete' } })
  })

  it('does not know how a switch ended that the manager has forgotten', async () => {
    const { db2, run } = await world()
    db2.answers.set('managerTask', { problem: 'not-found' })
    expect(await run()).toEqual({ kind: 'lost', problem: 'it does not know the switch' })
  })

  it('does not know how a switch ended whose manager gives no answer', async () => {
    const { db2, run } = await world()
    db2.answers.set('managerTask', { problem: 'not-ready' })
    expect(await run()).toEqual({ kind: 'lost', problem: 'it has not answered for 30 s' })
  })

  it('follows a switch that was begun to its end after Ctrl-C', async () => {
    const { db2, run, stop } = await world()
    const tasks = [{ ...begun, step: 'drain' }, { ...begun, step: 'repoint' }, complete]
    db2.answers.set('managerTask', () => {
      stop.abort()
      return { payload: tasks.shift() }
    })
    expect(await run()).toMatchObject({ kind: 'ended' })
  })

  it('follows a switch for eight seconds after Ctrl-C', async () => {
    const { db2, run, stop } = await world()
    db2.answers.set('managerTask', () => {
      stop.abort()
      return { payload: { ...begun, step: 'drain' } }
    })
    expect(await run()).toEqual({ kind: 'lost', problem: 'it had not ended 8 s after Ctrl-C' })
  })
})

describe('the manager that leads', () => {
  const coming = (manager: ManagerOfHost) => ({ host: manager.host, manager: Promise.resolve(manager) })
  const away = (host: string) => ({ host, manager: new Promise<never>(() => undefined) })
  async function managers() {
    const all = await Promise.all(['db1', 'db2', 'db3'].map(managerOn))
    for (const { fake } of all) fake.answers.set('managerServiceStatus', { payload: alphaWith() })
    const [db1, db2, db3] = all
    if (!db1 || !db2 || !db3) throw new Error('no managers')
    const choose = async (more: Partial<Parameters<typeof chooseManager>[0]> = {}) => {
      const found = await chooseManager({
        ...{ operation: 'switch', service: 'alpha', to: undefined },
        managers: all.map(({ manager }) => coming(manager)),
        ...more,
      })
      return 'call' in found ? found.host : found
    }
    return { db1, db2, db3, choose }
  }

  it('is that of the new primary, else of the present one, else any that has the service', async () => {
    const { db1, choose } = await managers()
    expect(await choose({ to: 'db3' })).toBe('db3')
    expect(await choose()).toBe('db1')
    db1.fake.answers.set('managerServiceStatus', { problem: 'not-found' })
    expect(['db2', 'db3']).toContain(await choose())
    expect(['db2', 'db3']).toContain(await choose({ to: 'db1' }))
  })

  it('is not that of the lost primary where there is another one', async () => {
    const { db1, choose } = await managers()
    expect(['db2', 'db3']).toContain(await choose({ operation: 'failover' }))
    expect(await choose({ operation: 'failover', managers: [coming(db1.manager)] })).toBe('db1')
  })

  it('is none where no manager has the service, and each says why', async () => {
    const { db1, db2, db3, choose } = await managers()
    db1.fake.answers.set('managerServiceStatus', { problem: 'not-found' })
    db2.fake.answers.set('managerServiceStatus', { problem: 'not-ready' })
    await db3.fake.close()
    const problems = await choose()
    expect(problems).toHaveLength(3)
    expect(problems).toEqual(
      expect.arrayContaining([
        { host: 'db1', problem: 'it has no service alpha' },
        { host: 'db2', problem: 'it answered 503' },
        { host: 'db3', problem: expect.any(String) },
      ]),
    )
  })

  it('does not wait for a host that is away, unless that would lead', async () => {
    const { db2, db3, choose } = await managers()
    const others = [coming(db2.manager), coming(db3.manager)]
    expect(['db2', 'db3']).toContain(
      await choose({ operation: 'failover', managers: [away('db1'), ...others] }),
    )
    expect(await choose({ to: 'db2', managers: [away('db1'), ...others] })).toBe('db2')
    let isChosen = false
    void choose({ managers: [away('db1'), ...others] }).then(() => {
      isChosen = true
    })
    // Both have answered, and what follows from that has been done.
    await eventually(async () => expect([db2.fake.sent.length, db3.fake.sent.length]).toEqual([3, 3]))
    for (let turn = 0; turn < 100; turn += 1) await setImmediate()
    expect(isChosen, 'db1 has the primary').toBe(false)
  })
})
