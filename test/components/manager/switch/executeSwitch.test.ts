import { describe, expect, it } from 'vitest'
import { DatabaseError } from '../../../../src/components/databases/databaseError.ts'
import type { OtherManagers } from '../../../../src/components/manager/askManagers.ts'
import type { Manager } from '../../../../src/components/manager/createManager.ts'
import { executeSwitch, type SwitchMeans } from '../../../../src/components/manager/switch/executeSwitch.ts'
import type { ReadNode } from '../../../../src/components/manager/switch/nodes.ts'
import { createTaskTable } from '../../../../src/components/manager/switch/taskTable.ts'
import type { SwitchOperation } from '../../../../src/contracts/managerPayloads.ts'
import { Secret } from '../../../../src/secrets/secret.ts'
import { createModel, type Fault } from './modelServers.ts'

const id = '00000000-0000-4000-8000-000000000000'
const now = (): Date => new Date(0)

const brokenOff = new DatabaseError({
  code: 'unreachable',
  message: 'The database broke the connection off.',
})

/** A switch from db1 to db2 in a model; `refuses` returns why the manager of db3 does not take part in a step. */
async function run(
  more: {
    readonly fault?: Fault
    readonly operation?: SwitchOperation
    readonly prepare?: (model: ReturnType<typeof createModel>) => void
    readonly refuses?: (step: string) => string | undefined
    /** Name of a server that follows a replica, which keeps its source in a failover. */
    readonly keeping?: string
    /** Connections of this manager that another one ends while this one settles the switch. */
    readonly ended?: number
  } = {},
) {
  const { operation = 'switch' } = more
  let { ended = 0 } = more
  const model = createModel(more.fault)
  more.prepare?.(model)
  const calls: string[] = []
  let step = 'hold'
  const observation: unknown = null
  let time = 0
  const manager = {
    views: () =>
      model.servers.map(({ name }) => ({ name, host: name, port: 3306, role: 'replica', state: 'ONLINE' })),
    health: () => ({ known: null, observation }),
    hold: (order: { readonly step: string }) => {
      step = order.step
      calls.push(`hold ${step}`)
      return true
    },
    release: async ({ primary }: { readonly primary: string | null }) => {
      calls.push(`release ${primary}`)
      return true
    },
    holdOf: () => ({
      id,
      operation,
      service: 'alpha',
      from: 'db1',
      to: 'db2',
      step,
      by: 'admin',
      isOwn: true,
      isInForce: true,
    }),
  } as unknown as Manager
  const others: OtherManagers = {
    hold: async (order) => {
      calls.push(`db3 holds ${order.step} for ${order.by} and ${order.milliseconds} ms`)
      const problem = more.refuses?.(order.step)
      return [{ name: 'db3', ...(problem === undefined ? {} : { problem }) }]
    },
    release: async ({ primary }) => {
      calls.push(`db3 releases ${primary}`)
      return [{ name: 'db3' }]
    },
    routings: async () => [],
    replications: async () => [],
  }
  const means: SwitchMeans = {
    manager,
    open: ({ name }) => {
      const { server } = model.nodeOf(name)
      if (ended === 0) return server
      ended -= 1
      let isLocked = false
      return {
        ...server,
        lock: async () => {
          isLocked = true
          return true
        },
        read: () => (isLocked ? Promise.reject(brokenOff) : server.read()),
      }
    },
    account: () => ({ user: 'replicator', password: new Secret('s') }),
    limits: { maxLag: 1, maxTransaction: 1, drainTimeout: 1, maxHold: 1000 },
    others,
    update: async () => undefined,
    timing: {
      now: () => time,
      wait: async (milliseconds) => {
        time += milliseconds
        model.replicate()
      },
    },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  }
  const nodes = await Promise.all(
    model.servers.map(async ({ name }): Promise<ReadNode> => {
      const node = model.nodeOf(name)
      const member = { name, host: name, port: 3306, role: 'replica', state: 'ONLINE', failures: 0 } as const
      const own = model.server(name)
      const look =
        own.runsEvents || name === more.keeping
          ? ({ kind: 'answered', reading: model.readingOf(own) } as const)
          : ({ kind: 'unread' } as const)
      return { ...node, member: { ...member, look, known: null } }
    }),
  )
  const [from, to] = nodes
  if (!from || !to) throw new Error('no model')
  const task = createTaskTable(now).add({ id, operation, service: 'alpha', step: 'check' })
  const plan = {
    service: 'alpha',
    from: 'db1',
    to: 'db2',
    loss: null,
    refusals: [],
    followers: ['db1', 'db3'].filter((it) => it !== more.keeping && (operation === 'switch' || it !== 'db1')),
    remarks: [],
  }
  const rest = await executeSwitch(means, {
    order: {
      operation,
      service: 'alpha',
      to: 'db2',
      id,
      accepted: new Set(),
      by: 'admin',
    },
    task,
    survey: { nodes, sessions: [], plan },
    known: new Set(),
    from,
    to,
  })
  return { model, calls, task: task.payload(), rest }
}

const writable = ({ servers }: ReturnType<typeof createModel>): readonly string[] =>
  servers.filter(({ isWritable }) => isWritable).map(({ name }) => name)

describe('a switch that other managers take part in', () => {
  it('lets them hold in the name of the caller, record what has no way back, and release', async () => {
    const { calls, task, model } = await run()
    expect(calls).toEqual([
      'hold hold',
      'db3 holds hold for admin and 1000 ms',
      'hold freeze',
      'db3 holds promote for admin and 1000 ms',
      'hold promote',
      'hold repoint',
      'release db2',
      'db3 releases db2',
    ])
    expect(task).toMatchObject({
      state: 'complete',
      step: 'verify',
      result: { newPrimary: 'db2', remarks: [] },
    })
    expect(model.servers.map(({ follows }) => follows)).toEqual(['db2', null, 'db2'])
  })

  it('changes nothing where one of them does not hold', async () => {
    const { calls, task, model } = await run({ refuses: () => 'the login was refused.' })
    expect(model.done).toEqual([])
    expect(calls.slice(-2)).toEqual(['release db1', 'db3 releases db1'])
    expect(task).toMatchObject({
      state: 'failed',
      error: 'Nothing was changed. The manager of db3 did not take part: the login was refused.',
    })
  })

  it('goes back where one of them cannot record that there is no way back', async () => {
    const { calls, task, model } = await run({
      refuses: (step) => (step === 'promote' ? 'its disk is full.' : undefined),
    })
    expect(writable(model)).toEqual(['db1'])
    expect(calls.slice(-2)).toEqual(['release db1', 'db3 releases db1'])
    expect(task).toMatchObject({
      state: 'failed',
      error: 'The manager of db3 did not take part: its disk is full. db1 is still the primary.',
    })
  })

  it('goes back also where another manager settles it at the same time, and ends its connections', async () => {
    const { calls, task, model } = await run({
      refuses: (step) => (step === 'promote' ? 'its disk is full.' : undefined),
      ended: 4,
    })
    expect(writable(model)).toEqual(['db1'])
    expect(calls.slice(-2)).toEqual(['release db1', 'db3 releases db1'])
    expect(task.error).toMatch(/its disk is full\. db1 is still the primary\.$/)
  })

  it('is not complete where a server was not seen to follow, and names it and its error', async () => {
    const { task, rest } = await run({
      prepare: ({ server }) => {
        server('db3').receiver = { receiver: 'connecting', receiverError: { number: 1236, message: 'x' } }
      },
    })
    expect(task).toMatchObject({ state: 'incomplete', error: null, result: { newPrimary: 'db2' } })
    expect(task.result?.remarks).toEqual([
      'db3 does not follow db2: Its receiver does not run (error 1236). Remove the cause, then run tapi --component replicator online there.',
    ])
    expect(rest).toEqual({ left: ['db3'] })
  })

  it('is not complete where the old primary has transactions of its own afterwards', async () => {
    const { task } = await run({
      prepare: ({ server }) => {
        server('db1').errantOnceItFollows = '9-1-2'
      },
    })
    expect(task.state).toBe('incomplete')
    expect(task.result?.remarks).toEqual([
      'db1 does not follow db2: It has transactions that db2 does not have: 9-1-2. Make it anew from a backup of db2 (muster provision db1).',
    ])
  })

  it('takes the event scheduler along, and names the events that do not run then', async () => {
    const { task, model } = await run({
      prepare: ({ server }) => {
        server('db1').runsEvents = true
      },
    })
    expect(task).toMatchObject({ state: 'complete' })
    expect(task.result?.remarks).toEqual([
      'Events that replication brought to db2 do not run there until they are enabled: ALTER EVENT `shop`.`beat` ENABLE;',
    ])
    expect(model.servers.map(({ runsEvents }) => runsEvents)).toEqual([false, true, false])
    // Whoever settles a switch that is left in between sees that it ran.
    expect(model.done.indexOf('db2 start events')).toBeLessThan(model.done.indexOf('db1 follow'))
  })

  it('is complete where the event scheduler of the new primary cannot be started, and says so', async () => {
    const { task } = await run({
      prepare: ({ server }) => {
        server('db1').runsEvents = true
        server('db2').refusesEvents = true
      },
    })
    expect(task).toMatchObject({ state: 'complete' })
    expect(task.result?.remarks).toEqual([
      'The event scheduler of db2 was not started: It is disabled. Run SET GLOBAL event_scheduler = ON there.',
    ])
  })

  it('leaves the event scheduler of the old primary as it is where it goes back', async () => {
    const { task, model } = await run({
      prepare: ({ server }) => {
        server('db1').runsEvents = true
      },
      refuses: (step) => (step === 'promote' ? 'its disk is full.' : undefined),
    })
    expect(task.state).toBe('failed')
    expect(model.servers.map(({ runsEvents }) => runsEvents)).toEqual([true, false, false])
  })

  it('starts the receiver of a server again that keeps its source in a failover', async () => {
    const lost = ({ server }: ReturnType<typeof createModel>): void => {
      server('db1').isUp = false
      server('db3').follows = 'db2'
    }
    const failover = { operation: 'failover', keeping: 'db3' } as const
    const { task, model } = await run({ ...failover, prepare: lost })
    expect(model.done).toContain('db3 stop receiving')
    expect(model.server('db3')).toMatchObject({ follows: 'db2', isReceiving: true })
    expect(task).toMatchObject({ state: 'complete', result: { newPrimary: 'db2', remarks: [] } })
    const { task: refused } = await run({
      ...failover,
      prepare: (it) => {
        lost(it)
        it.server('db3').refusesToStart = true
      },
    })
    expect(refused).toMatchObject({
      state: 'incomplete',
      result: {
        remarks: ['db3 receives nothing: Its disk is full. Run tapi --component replicator online there.'],
      },
    })
  })

  it('leaves a receiver alone in a failover that was stopped before', async () => {
    const { task, model } = await run({
      ...{ operation: 'failover', keeping: 'db3' },
      prepare: ({ server }) => {
        server('db1').isUp = false
        server('db3').follows = 'db2'
        server('db3').isReceiving = false
      },
    })
    expect(task).toMatchObject({ state: 'complete' })
    expect(model.server('db3').isReceiving).toBe(false)
  })

  it('stays open where the new primary is lost while it becomes one', async () => {
    const { calls, task, rest, model } = await run({ fault: { at: 12, when: 'after', what: 'server' } })
    expect(model.done.at(-1)).toMatch(/^db/)
    expect(rest).toMatchObject({ open: { id, step: 'promote' } })
    expect(calls.filter((it) => it.includes('release'))).toEqual([])
    expect(task.error).toBe(
      'The database db2 is gone. Neither db1 nor db2 is the primary until this is settled: db2 may be the primary, and The database db2 is gone.',
    )
  })
})
