import { describe, expect, it } from 'vitest'
import {
  moveWriter,
  repoint,
  SwitchError,
  settle,
} from '../../../../src/components/manager/switch/runSwitch.ts'
import { Secret } from '../../../../src/secrets/secret.ts'
import { createModel, type Fault } from './modelServers.ts'

const timing = { now: () => 0, wait: () => Promise.resolve() }
const account = { user: 'replicator', password: new Secret('s') }
const semiSync = { source: false, replica: false }
const former = { name: 'db1', account, tls: null, semiSync }

/** Moves the writer from db1 to db2; `lost` ends whoever does it before that step. */
async function move(model: ReturnType<typeof createModel>, lost?: string) {
  const nodes = { from: model.nodeOf('db1'), to: model.nodeOf('db2') }
  const third = model.nodeOf('db3')
  let recorded = 'hold'
  let remarks: readonly string[] = []
  const failure = await moveWriter({
    ...nodes,
    others: [third],
    known: new Set(),
    semiSync,
    begin: async (step) => {
      if (step === lost) throw new SwitchError('killed')
      recorded = step
    },
    drainTimeout: 100,
    deadline: 1000,
    timing,
  }).then(
    (words) => {
      remarks = words
    },
    (error: unknown) => error,
  )
  nodes.from.server.close()
  nodes.to.server.close()
  return { failure, recorded, remarks }
}

const settleIn = (
  model: ReturnType<typeof createModel>,
  recorded: string,
  operation: 'switch' | 'failover' = 'switch',
) =>
  settle({
    operation,
    from: model.nodeOf('db1'),
    to: model.nodeOf('db2'),
    isCaughtUp: recorded === 'promote',
    mayBePromoted: recorded === 'promote',
    others: [model.nodeOf('db3')],
  })

const writable = (model: ReturnType<typeof createModel>): readonly string[] =>
  model.servers.filter((it) => it.isUp && it.isWritable).map(({ name }) => name)

const operations = 17
const faults: readonly Fault[] = Array.from({ length: operations }, (_, at) => at).flatMap((at) =>
  (['before', 'after'] as const).flatMap((when) =>
    (['link', 'server'] as const).map((what) => ({ at, when, what })),
  ),
)

describe('a switch of the writer', () => {
  it('makes the old primary read-only, lets the new one catch up, and only then makes it writable', async () => {
    const model = createModel()
    const { failure } = await move(model)
    expect(failure).toBeUndefined()
    expect(model.done).toEqual([
      'db1 sessions',
      'db1 read-only',
      'db1 sessions',
      'db1 kill',
      'db1 lock commits',
      'db1 gtids',
      'db3 gtids',
      'db1 written',
      'db2 wait',
      'db1 written',
      'db2 gtids',
      'db1 gtids',
      'db3 gtids',
      'db2 stop',
      'db2 writable',
      'db2 forget',
    ])
    expect(model.operations()).toBeLessThanOrEqual(operations)
    expect(writable(model)).toEqual(['db2'])
    expect(model.mostWritable()).toBe(1)
  })

  it('loses no row of an administrator whom read_only does not bind', async () => {
    const model = createModel(undefined, { hasAdministrator: true })
    expect((await move(model)).failure).toBeUndefined()
    const { rows } = model.server('db2')
    expect(model.acknowledged.length).toBeGreaterThan(4)
    expect(model.acknowledged.filter((row) => !rows.includes(row))).toEqual([])
  })

  it('goes back where a third server has transactions that the old primary does not have, and counts them', async () => {
    const model = createModel()
    model.server('db3').errant = '7-3-12'
    const { failure, recorded } = await move(model)
    expect(failure).toMatchObject({
      message: 'db3 has 12 transactions that db1 does not have: 7-3-12.',
    })
    expect(await settleIn(model, recorded)).toEqual({ kind: 'back' })
    expect(writable(model)).toEqual(['db1'])
  })

  it('waits for the new primary where a third server has more of the old one already', async () => {
    const model = createModel()
    for (const name of ['db1', 'db3']) model.server(name).rows = [-2, -1]
    const { failure } = await move(model)
    expect(failure).toBeUndefined()
    expect(model.server('db2').rows).toEqual([-2, -1, ...model.acknowledged])
  })

  it('goes back where only a third server gets what the old primary wrote', async () => {
    const model = createModel()
    for (const name of ['db1', 'db3']) model.server(name).rows = [-2, -1]
    model.server('db2').isRunning = false
    const { failure, recorded } = await move(model)
    expect(failure).toMatchObject({ message: 'db2 did not apply the last changes of db1 in time' })
    expect(model.done.filter((it) => /follow|forget/.test(it))).toEqual([])
    expect(await settleIn(model, recorded)).toEqual({ kind: 'back' })
    expect(writable(model)).toEqual(['db1'])
    expect(model.server('db2').follows).toBe('db1')
  })

  it('names a third server whose transactions it cannot read', async () => {
    const model = createModel()
    model.server('db3').isUp = false
    const { failure, remarks } = await move(model)
    expect(failure).toBeUndefined()
    expect(remarks).toEqual(['The transactions of db3 are unknown: The database db3 is gone.'])
  })

  it('lets the old primary follow with the account of the switch, and the others with their own', async () => {
    const model = createModel()
    await move(model)
    const followers = ['db1', 'db3'].map(model.nodeOf)
    expect(await repoint({ followers, to: model.nodeOf('db2'), former })).toEqual([])
    expect(model.servers.map(({ follows }) => follows)).toEqual(['db2', null, 'db2'])
  })

  it('names a server that does not follow yet', async () => {
    const model = createModel()
    await move(model)
    const followers = ['db1', 'db3'].map(model.nodeOf)
    model.server('db3').isUp = false
    expect(await repoint({ followers, to: model.nodeOf('db2'), former })).toEqual([
      {
        name: 'db3',
        remark:
          'db3 does not follow db2 yet: The database db3 is gone. The manager tries again for ten minutes; then use tapi datasource recover.',
      },
    ])
  })

  it.each(['drain', 'freeze', 'catch-up', 'promote'])(
    'that is left before %s is taken back',
    async (step) => {
      const model = createModel()
      const { failure, recorded } = await move(model, step)
      expect(failure).toBeInstanceOf(SwitchError)
      expect(await settleIn(model, recorded)).toEqual({ kind: 'back' })
      expect(writable(model)).toEqual(['db1'])
      expect(model.server('db2')).toMatchObject({ follows: 'db1', isRunning: true })
    },
  )

  it.each(faults)('has one writer and all rows in the end: $what lost $when operation $at', async (fault) => {
    const model = createModel(fault)
    const { failure, recorded } = await move(model)
    if (failure !== undefined) {
      expect(failure).toBeInstanceOf(SwitchError)
      const end = await settleIn(model, recorded)
      if (end.kind === 'open') {
        expect(writable(model)).toEqual([])
        for (const it of model.servers) it.isUp = true
        expect((await settleIn(model, recorded)).kind).not.toBe('open')
      }
    }
    // A stopped server comes back as it was.
    for (const it of model.servers) it.isUp = true
    model.replicate()
    const [writer, ...others] = writable(model)
    expect(others).toEqual([])
    const { rows } = model.server(writer ?? '')
    expect(model.acknowledged.filter((row) => !rows.includes(row))).toEqual([])
    expect(model.mostWritable()).toBe(1)
  })

  describe('whose old primary was started meanwhile, and may have lost what a replica acknowledged,', () => {
    const restarted = async (rows: number) => {
      const model = createModel()
      for (const it of model.servers) it.rows = [-3, -2, -1]
      model.server('db1').isWritable = false
      model.server('db1').lacksRole = true
      model.server('db1').rows = [-3, -2, -1].slice(0, rows)
      return model
    }

    it('goes back where it has all that the others have', async () => {
      const model = await restarted(3)
      expect(await settleIn(model, 'hold')).toEqual({ kind: 'back' })
      expect(writable(model)).toEqual(['db1'])
    })

    it('makes it no writer where it lacks something: the managers decide who is', async () => {
      const model = await restarted(2)
      expect(await settleIn(model, 'hold')).toEqual({ kind: 'back' })
      expect(writable(model)).toEqual([])
    })

    it.each(['db2', 'db3'])('is not settled while %s cannot be read', async (name) => {
      const model = await restarted(3)
      model.server(name).isUp = false
      expect(await settleIn(model, 'hold')).toEqual({
        kind: 'open',
        reason: `${name} cannot be read, and may have what db1 lost when it ended.`,
      })
      expect(writable(model)).toEqual([])
    })
  })

  it('does not make the new primary writable where a start cost it what another one has', async () => {
    const settled = async (rows: readonly number[], isUp = true) => {
      const model = createModel()
      await move(model)
      Object.assign(model.server('db2'), { isWritable: false, lacksRole: true, follows: null })
      Object.assign(model.server('db3'), { rows: [...model.server('db2').rows, ...rows], isUp })
      return [await settleIn(model, 'promote'), writable(model)]
    }
    expect(await settled([])).toEqual([{ kind: 'forward' }, ['db2']])
    expect(await settled([7])).toEqual([{ kind: 'forward' }, []])
    const reason = 'db3 cannot be read, and may have what db2 lost when it ended.'
    expect(await settled([], false)).toEqual([{ kind: 'open', reason }, []])
  })

  it('goes forward past a lost primary whose commits wait for a replica, which cannot become read-only', async () => {
    const model = createModel()
    model.server('db1').waitsForReplica = true
    model.server('db2').follows = null
    expect(await settleIn(model, 'promote', 'failover')).toEqual({ kind: 'forward' })
    expect(writable(model)).toEqual(['db1', 'db2'])
  })

  it('is not settled while nobody can tell whether the new primary may be written', async () => {
    const model = createModel()
    await move(model, 'promote')
    model.server('db2').isUp = false
    expect(await settleIn(model, 'promote')).toEqual({
      kind: 'open',
      reason: 'db2 may be the primary, and The database db2 is gone.',
    })
    expect(writable(model)).toEqual([])
  })

  it('goes forward without the old primary once the new one has all of it', async () => {
    const model = createModel()
    await move(model)
    model.server('db2').isWritable = false
    model.server('db2').follows = 'db1'
    model.server('db1').isUp = false
    expect(await settleIn(model, 'promote')).toEqual({ kind: 'forward' })
    expect(writable(model)).toEqual(['db2'])
  })
})
