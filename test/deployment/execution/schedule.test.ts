import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allInParallel, canaryThenBatches, type Rollout } from '../../../src/deployment/execution/rollout.ts'
import { type Candidate, scheduleOf } from '../../../src/deployment/execution/schedule.ts'

const hosts = (count: number, changes: Partial<Candidate> = {}): readonly Candidate[] =>
  Array.from({ length: count }, (_, index) => ({
    host: `db${index + 1}`,
    changes: true,
    inTurn: false,
    ...changes,
  }))
const names = (candidates: readonly Candidate[], rollout: Rollout): readonly (readonly string[])[] =>
  scheduleOf(candidates, rollout).map((wave) => wave.hosts)

describe('scheduleOf', () => {
  it('returns one wave of all hosts by default', () => {
    expect(scheduleOf(hosts(3), allInParallel)).toEqual([
      { canary: false, hosts: ['db1', 'db2', 'db3'], inTurn: [] },
    ])
    expect(scheduleOf([], allInParallel)).toEqual([])
  })

  it('puts one canary first, then a quarter of the hosts at a time', () => {
    expect(names(hosts(3), canaryThenBatches)).toEqual([['db1'], ['db2'], ['db3']])
    expect(names(hosts(9), canaryThenBatches)).toEqual([
      ['db1'],
      ['db2', 'db3'],
      ['db4', 'db5'],
      ['db6', 'db7'],
      ['db8', 'db9'],
    ])
  })

  it('puts the named canary first, whether it changes or not', () => {
    const [one, two, three] = hosts(3)
    if (!one || !two || !three) throw new Error('three hosts')
    const rollout = { ...allInParallel, canary: { host: 'db2' } } as const
    expect(names([one, two, three], rollout)).toEqual([['db2'], ['db1', 'db3']])
    expect(names([one, { ...two, changes: false }, three], rollout)).toEqual([['db2'], ['db1', 'db3']])
  })

  it('chooses a changing canary and puts unchanged hosts into the last wave', () => {
    const [one, two, three, four] = hosts(4)
    if (!one || !two || !three || !four) throw new Error('four hosts')
    const rollout = { ...allInParallel, canary: 'first', batch: { hosts: 1 } } as const
    const candidates = [{ ...one, changes: false }, two, three, four]
    expect(names(candidates, rollout)).toEqual([['db2'], ['db3'], ['db1', 'db4']])
    expect(names(hosts(2, { changes: false }), rollout)).toEqual([['db1', 'db2']])
  })

  it('puts hosts that go last into a wave of their own, whether they change or not', () => {
    const [one, two, three, four] = hosts(4)
    if (!one || !two || !three || !four) throw new Error('four hosts')
    const last = { last: true } as const
    const candidates = [{ ...one, ...last }, two, { ...three, ...last, changes: false }, four]
    expect(names(candidates, allInParallel)).toEqual([
      ['db2', 'db4'],
      ['db1', 'db3'],
    ])
    expect(names(candidates, canaryThenBatches)).toEqual([['db2'], ['db4'], ['db1', 'db3']])
  })

  it('chooses no primary as canary if another host changes', () => {
    const [one, two, three] = hosts(3)
    if (!one || !two || !three) throw new Error('three hosts')
    const rollout = { ...allInParallel, canary: 'first', primaries: ['db1'] } as const
    expect(names([one, two, three], rollout)).toEqual([['db2'], ['db1', 'db3']])
    expect(names([one, { ...two, changes: false }, three], rollout)).toEqual([['db3'], ['db1', 'db2']])
    expect(names([one], rollout)).toEqual([['db1']])
    expect(names([one, two], { ...rollout, canary: { host: 'db1' } })).toEqual([['db1'], ['db2']])
  })

  it('lists changing hosts that take turns', () => {
    const candidates = [...hosts(2, { inTurn: true }), { host: 'db3', changes: false, inTurn: true }]
    expect(scheduleOf(candidates, allInParallel)[0]?.inTurn).toEqual(['db1', 'db2'])
  })

  const candidates = fc.uniqueArray(
    fc.record({ host: fc.stringMatching(/^h\d{1,3}$/), changes: fc.boolean(), inTurn: fc.boolean() }),
    { selector: ({ host }) => host, maxLength: 60 },
  )
  const batch = fc.oneof(
    fc.record({ hosts: fc.integer({ min: 1, max: 70 }) }),
    fc.record({ percent: fc.integer({ min: 1, max: 100 }) }),
  )

  it('returns every host once, the canary alone, and no empty or too large wave', () => {
    fc.assert(
      fc.property(candidates, fc.option(batch), fc.nat(), fc.boolean(), (all, size, pick, named) => {
        const wanted = all[pick % Math.max(1, all.length)]
        const canary = named && wanted ? { host: wanted.host } : ('first' as const)
        const rollout: Rollout = { ...allInParallel, canary, ...(size === null ? {} : { batch: size }) }
        const waves = scheduleOf(all, rollout)
        const changing = new Map(all.map((one) => [one.host, one.changes]))
        const count = all.filter(({ changes }) => changes).length
        const most =
          size === null ? count : 'hosts' in size ? size.hosts : Math.max(1, (count * size.percent) / 100)

        expect(waves.flatMap((wave) => wave.hosts).sort()).toEqual(all.map(({ host }) => host).sort())
        for (const [index, wave] of waves.entries()) {
          expect(wave.hosts.length).toBeGreaterThan(0)
          expect(wave.hosts.filter((host) => changing.get(host)).length).toBeLessThanOrEqual(
            Math.max(1, most),
          )
          expect(wave.canary).toBe(index === 0 && (named ? all.length > 0 : count > 0))
          if (wave.canary) expect(wave.hosts).toHaveLength(1)
          // Whoever drains a connector is never at work beside another one.
          const drains = all.filter(({ host, changes, inTurn }) => {
            return wave.hosts.includes(host) && changes && inTurn
          })
          expect([...wave.inTurn].sort()).toEqual(drains.map(({ host }) => host).sort())
        }
      }),
    )
  })
})
