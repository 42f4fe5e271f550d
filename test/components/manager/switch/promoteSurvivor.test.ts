import { describe, expect, it } from 'vitest'
import { promoteSurvivor } from '../../../../src/components/manager/switch/promoteSurvivor.ts'
import { SwitchError, settle } from '../../../../src/components/manager/switch/runSwitch.ts'
import { createModel, type Fault } from './modelServers.ts'

/** Makes db2 the primary in place of db1; `isAlive` leaves db1 writable, with clients that reach nobody else. */
async function promote(
  model: ReturnType<typeof createModel>,
  more: { readonly isAlive?: boolean; readonly isBack?: () => boolean; readonly lost?: string } = {},
) {
  const { isAlive = false, isBack = () => false } = more
  model.server('db1').isUp = isAlive
  let recorded = 'hold'
  let time = 0
  const others = [model.nodeOf('db3')]
  let moved: readonly string[] | undefined
  const failure = await promoteSurvivor({
    to: model.nodeOf('db2'),
    others,
    followers: others,
    isBack,
    semiSync: { source: true, replica: false },
    begin: async (step) => {
      if (step === more.lost) throw new SwitchError('killed')
      recorded = step
    },
    deadline: 1000,
    timing: {
      now: () => time,
      wait: async (milliseconds) => {
        time += milliseconds
        model.replicate()
      },
    },
  }).then(
    (names) => {
      moved = names
      return undefined
    },
    (error: unknown) => error,
  )
  return { failure, recorded, moved }
}

const settleIn = (model: ReturnType<typeof createModel>, recorded: string) =>
  settle({
    operation: 'failover',
    from: model.nodeOf('db1'),
    to: model.nodeOf('db2'),
    isCaughtUp: recorded === 'promote',
    mayBePromoted: recorded === 'promote',
    others: [model.nodeOf('db3')],
  })

const survivors = (model: ReturnType<typeof createModel>): readonly string[] =>
  model.servers.filter((it) => it.name !== 'db1' && it.isWritable).map(({ name }) => name)

const operations = 13
const faults: readonly Fault[] = Array.from({ length: operations }, (_, at) => at).flatMap((at) =>
  (['before', 'after'] as const).flatMap((when) =>
    (['link', 'server'] as const).map((what) => ({ at, when, what })),
  ),
)

describe('a failover', () => {
  it('lets all survivors leave the lost primary before it compares and promotes', async () => {
    const model = createModel()
    expect((await promote(model)).failure).toBeUndefined()
    expect(model.done).toEqual([
      'db2 stop receiving',
      'db3 stop receiving',
      'db2 received',
      'db3 received',
      'db2 gtids',
      'db3 gtids',
      'db3 received',
      'db3 follow',
      'db3 gtids',
      'db2 stop',
      'db2 writable',
      'db2 forget',
      'db2 semi-sync',
    ])
    expect(model.operations()).toBeLessThanOrEqual(operations)
    expect(survivors(model)).toEqual(['db2'])
  })

  it('takes nothing more from a lost primary that is alive for others once it has compared', async () => {
    const model = createModel()
    expect((await promote(model, { isAlive: true })).failure).toBeUndefined()
    const before = model.server('db2').rows.length
    model.server('db1').rows.push(-1)
    model.replicate()
    expect(model.server('db3').rows).toEqual(model.server('db2').rows)
    expect(model.server('db2').rows).toHaveLength(before)
  })

  it('lets the others follow the new primary before that is one, so that a start does not lead them back', async () => {
    const model = createModel()
    const { failure, moved } = await promote(model, { lost: 'promote' })
    expect([failure, moved]).toEqual([expect.any(SwitchError), undefined])
    expect(model.server('db3')).toMatchObject({ follows: 'db2', isReceiving: true })
    expect(await promote(createModel())).toMatchObject({ failure: undefined, moved: ['db3'] })
  })

  it('leaves what another one has received and not applied, and lets it follow afterwards', async () => {
    const model = createModel()
    Object.assign(model.server('db2'), { rows: [-2, -1] })
    Object.assign(model.server('db3'), { rows: [-2], unapplied: [-1] })
    expect(await promote(model)).toMatchObject({ failure: undefined, moved: [] })
    expect(model.server('db3')).toMatchObject({ unapplied: [-1], follows: 'db1', isReceiving: false })
  })

  it('goes on without one that cannot be told to follow, as long as it still answers', async () => {
    const model = createModel()
    model.server('db3').refusesToFollow = true
    expect(await promote(model)).toMatchObject({ failure: undefined, moved: [] })
    expect(survivors(model)).toEqual(['db2'])
  })

  it('waits until the new primary has applied what it received', async () => {
    const model = createModel()
    Object.assign(model.server('db2'), { rows: [-3], unapplied: [-2, -1] })
    Object.assign(model.server('db3'), { rows: [-3, -2] })
    expect((await promote(model)).failure).toBeUndefined()
    expect(model.server('db2')).toMatchObject({ isWritable: true })
    expect(model.server('db2').rows.slice(0, 3)).toEqual([-3, -2, -1])
  })

  it('gives up where that takes longer than clients may wait', async () => {
    const model = createModel()
    Object.assign(model.server('db2'), { unapplied: [-1], isRunning: false })
    expect((await promote(model)).failure).toMatchObject({
      message: 'It took longer than clients may wait (connector-max-hold).',
    })
    expect(survivors(model)).toEqual([])
  })

  it('is not made where another survivor received more meanwhile', async () => {
    const model = createModel()
    Object.assign(model.server('db3'), { unapplied: [-2, -1] })
    const { failure, recorded } = await promote(model)
    expect(failure).toMatchObject({
      message: 'db3 received 2 that db2 does not have: 0-1-2. Repeat the failover.',
    })
    expect(survivors(model)).toEqual([])
    expect(await settleIn(model, recorded)).toEqual({ kind: 'back' })
  })

  it('is not made where the lost primary answers again', async () => {
    const model = createModel()
    let looks = 0
    const isBack = (): boolean => {
      looks += 1
      return looks === 3
    }
    const { failure, recorded } = await promote(model, { isBack })
    expect(failure).toMatchObject({ message: 'The old primary answers again.' })
    expect(await settleIn(model, recorded)).toEqual({ kind: 'back' })
    expect(model.server('db2')).toMatchObject({ isWritable: false, isReceiving: true, follows: 'db1' })
  })

  it.each(['freeze', 'catch-up', 'promote'])('that is left before %s is taken back', async (lost) => {
    const model = createModel()
    const { failure, recorded } = await promote(model, { lost })
    expect(failure).toBeInstanceOf(SwitchError)
    expect(await settleIn(model, recorded)).toEqual({ kind: 'back' })
    expect(survivors(model)).toEqual([])
    expect(model.server('db2')).toMatchObject({ follows: 'db1', isRunning: true, isReceiving: true })
  })

  it.each(faults)(
    'promotes db2 or nobody, and keeps all rows: $what lost $when operation $at',
    async (fault) => {
      const model = createModel(fault)
      model.server('db2').unapplied = [-1]
      model.server('db3').rows = [-1]
      const { failure, recorded } = await promote(model)
      if (failure !== undefined) {
        expect(failure).toBeInstanceOf(SwitchError)
        const end = await settleIn(model, recorded)
        if (end.kind === 'open') {
          expect(recorded).toBe('promote')
          model.server('db2').isUp = true
          expect((await settleIn(model, recorded)).kind).not.toBe('open')
        }
      }
      const writers = survivors(model)
      expect(writers).toEqual(writers.length === 0 ? [] : ['db2'])
      if (writers.length > 0) expect(model.server('db2').rows).toContain(-1)
    },
  )

  it('that was left is not settled while nobody can tell whether the new primary may be written', async () => {
    const model = createModel()
    await promote(model)
    model.server('db2').isUp = false
    expect(await settleIn(model, 'promote')).toEqual({
      kind: 'open',
      reason: 'db2 may be the primary, and The database db2 is gone.',
    })
  })

  it('that was left right before the new primary became writable never makes it one', async () => {
    const model = createModel()
    const { recorded } = await promote(model, { lost: 'promote' })
    expect(recorded).toBe('catch-up')
    expect(await settleIn(model, 'promote')).toEqual({ kind: 'back' })
    expect(survivors(model)).toEqual([])
  })
})
