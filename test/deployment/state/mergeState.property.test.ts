import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ClusterState, emptyState } from '../../../src/deployment/state/clusterState.ts'
import { mergeState } from '../../../src/deployment/state/mergeState.ts'
import { stateDifferences } from '../../../src/deployment/state/stateDifferences.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { propertyRuns } from '../../support/propertyRuns.ts'
import { sampleState } from './sampleState.ts'

const sample = await sampleState()
const [db1, db2] = [sample.hosts.get('db1'), sample.hosts.get('db2')]
if (db1 === undefined || db2 === undefined) throw new Error('the sample has no hosts')

const map = <Value>(...values: readonly Value[]): fc.Arbitrary<ReadonlyMap<string, Value>> =>
  fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom(...values))
    .map((entries) => new Map(Object.entries(entries)))
const user = (byte: number, password?: string) => ({
  salt: Buffer.alloc(16, byte),
  ...(password !== undefined && { password: new Secret(password) }),
})
const maps = fc.record({
  hosts: map(db1, db2, { ...db1, outside: db2.chain }),
  users: map(user(1), user(2), user(1, 'one'), user(1, 'two')),
  machines: map('0', '1'),
  folders: map('/opt/a', '/opt/b'),
})
const passwords = (word: string) => ({ keystore: new Secret(word), truststore: new Secret('same') })
/** What belongs to no host and no user. */
const shared = fc.constantFrom<Partial<ClusterState>>(
  {},
  { storePasswords: passwords('one') },
  { storePasswords: passwords('two') },
  { ...(sample.authority && { authority: sample.authority }) },
  { rotation: { phase: 'drop' } },
  { retired: [db1.chain] },
)
const state: fc.Arbitrary<ClusterState> = fc
  .tuple(maps, shared)
  .map(([of, parts]) => ({ ...emptyState, ...of, ...parts }))
/** States that differ in hosts and users alone, as those of runs that go on at the same time. */
const three = fc
  .tuple(maps, maps, maps, shared)
  .map(([base, mine, theirs, parts]) =>
    [base, mine, theirs].map((of): ClusterState => ({ ...emptyState, ...of, ...parts })),
  )

const isSame = (one: ClusterState, other: ClusterState): boolean => stateDifferences(one, other).length === 0
const merged = (base: ClusterState, mine: ClusterState, theirs: ClusterState): ClusterState | undefined => {
  const result = mergeState({ base, mine, theirs })
  if ('state' in result) return result.state
  expect(result.conflicts).not.toEqual([])
  return undefined
}
const same = (one: ClusterState | undefined, other: ClusterState | undefined): boolean =>
  one === undefined || other === undefined ? one === other : isSame(one, other)

/** The value of a host's or user's part, comparable. */
const names = ['hosts', 'users', 'machines', 'folders'] as const
const parts = (of: ClusterState): ReadonlyMap<string, ClusterState> =>
  new Map(
    names.flatMap((name) =>
      ['a', 'b', 'c', 'd'].map((key) => {
        const value = of[name].get(key)
        const one = { ...emptyState, [name]: new Map(value === undefined ? [] : [[key, value]]) }
        return [`${name} ${key}`, one] as const
      }),
    ),
  )

describe('the merge of two changes of a state', () => {
  it('is the change of one side if the other changed nothing', () => {
    fc.assert(
      fc.property(state, state, (base, other) => {
        expect(same(merged(base, other, base), other)).toBe(true)
        expect(same(merged(base, base, other), other)).toBe(true)
        expect(same(merged(base, other, other), other)).toBe(true)
      }),
    )
  })

  it('is the same whichever run saves first', () => {
    fc.assert(
      fc.property(state, state, state, (base, mine, theirs) => {
        expect(same(merged(base, mine, theirs), merged(base, theirs, mine))).toBe(true)
      }),
    )
  })

  it('has every change of both sides, and nothing that neither has', () => {
    fc.assert(
      fc.property(three, ([base = emptyState, mine = emptyState, theirs = emptyState]) => {
        const [before, one, other] = [parts(base), parts(mine), parts(theirs)]
        const of = (side: ReadonlyMap<string, ClusterState>, key: string) => side.get(key) ?? emptyState
        const clash = [...before.keys()].some((key) => {
          const [was, left, right] = [of(before, key), of(one, key), of(other, key)]
          return !isSame(left, was) && !isSame(right, was) && !isSame(left, right)
        })
        const result = merged(base, mine, theirs)
        expect(result === undefined).toBe(clash)
        if (result === undefined) return
        for (const [key, value] of parts(result)) {
          const [was, left, right] = [of(before, key), of(one, key), of(other, key)]
          expect(isSame(value, isSame(left, was) ? right : left)).toBe(true)
        }
      }),
      { numRuns: propertyRuns(300) },
    )
  })

  it('is refused if one side changed what all hosts share and the other anything', () => {
    fc.assert(
      fc.property(state, state, state, (base, mine, theirs) => {
        const clear = { hosts: new Map(), users: new Map(), machines: new Map(), folders: new Map() }
        const touched = !isSame({ ...theirs, ...clear }, { ...base, ...clear })
        const isDecided = isSame(mine, base) || isSame(mine, theirs)
        fc.pre(touched && !isDecided)
        expect(merged(base, mine, theirs)).toBeUndefined()
      }),
    )
  })
})
