import { describe, expect, it } from 'vitest'
import { readMariadbGtids } from '../../../src/components/databases/gtidSet.ts'
import type { ServerReading } from '../../../src/components/databases/probe.ts'
import { countStrangers, decideFailover } from '../../../src/components/manager/decideFailover.ts'
import type { Member } from '../../../src/components/manager/replicationGraph.ts'
import { follows, idle, memberOf, type Name, names, writes } from './managedService.ts'
import { answered, refusing } from './support.ts'

/** Settings of a primary that acknowledges nothing which no other server has, with two replicas. */
const lossless = { ackGaps: [], ackers: 2, semiSync: { source: true, replica: false } }
const primary = (more: Partial<ServerReading> = {}) =>
  answered({ isWritable: true, serverId: 1, ...lossless, ...more })
const replica = (name: Name, more: Partial<ServerReading> = {}) =>
  follows(name, 'db1', { semiSync: { source: false, replica: true }, ...more })

const looks = { db1: primary(), db2: replica('db2'), db3: replica('db3') }
const knownOf = (look: ReturnType<typeof primary>) => (look.kind === 'answered' ? look.reading : null)
const lost = { look: refusing, known: knownOf(primary()), state: 'FAILED' } as const

/** Returns what is decided where each member is as usual but for this. */
function decide(
  members: Partial<Record<Name, Partial<Member>>> = {},
  more: Partial<Parameters<typeof decideFailover>[0]> = {},
) {
  return decideFailover({
    members: names.map((name) => ({
      ...memberOf(name, looks[name], { role: name === 'db1' ? 'primary' : 'replica' }),
      ...members[name],
    })),
    incumbent: { name: 'db1' },
    policy: 'AUTOMATIC',
    canChange: true,
    openSwitch: null,
    strangers: 0,
    ...more,
  })
}

const seen = (look: ReturnType<typeof primary>): Partial<Member> => ({ look, known: knownOf(look) })

describe('a failover by the managers themselves', () => {
  it('is allowed where nothing that was acknowledged can be lost, and due once the primary is', () => {
    expect(decide()).toEqual({ reasons: [], lost: null, candidates: ['db2', 'db3'] })
    expect(decide({ db1: lost })).toEqual({ reasons: [], lost: 'db1', candidates: ['db2', 'db3'] })
  })

  it('is not due while the primary is only missed, or answers although it failed', () => {
    expect(decide({ db1: { ...lost, state: 'ONLINE' } }).lost).toBeNull()
    expect(decide({ db1: { state: 'FAILED' } }).lost).toBeNull()
  })

  it('leaves a standby for last, and passes over what cannot be a primary', () => {
    expect(decide({ db2: { role: 'standby' } }).candidates).toEqual(['db3', 'db2'])
    expect(decide({ db2: { role: 'archive' } }).candidates).toEqual(['db3'])
  })

  it('asks nobody about a witness', () => {
    const witness = memberOf('db3', refusing, { role: 'witness' })
    expect(decide({ db3: witness, db1: seen(primary({ ackers: 1 })) }).reasons).toEqual([])
  })

  type Row = readonly [string, Parameters<typeof decide>, RegExp]
  const out = { state: 'SHUNNED' } as const

  it.each<Row>([
    ['the policy is another', [{}, { policy: 'MANUAL' }], /^The policy is MANUAL\.$/],
    ['the manager has no account', [{}, { canChange: false }], /replication-user is not set/],
    [
      'nobody knows the primary',
      [{}, { incumbent: { name: null } }],
      /^It is not known who the primary is\.$/,
    ],
    [
      'a switch is open',
      [{}, { openSwitch: { from: 'db1', to: 'db2', isInForce: false, mayBePromoted: true } }],
      /^A switch from db1 to db2 did not end\.$/,
    ],
    [
      'the manager was started after the loss',
      [{ db1: { ...lost, known: null } }],
      /^db1 was not read since/,
    ],
    ['it was read-only', [{ db1: seen(idle('db1')) }], /^db1 was no primary when it was read last\.$/],
    ['it followed another one', [{ db1: seen(follows('db1', 'db2')) }], /^db1 was no primary/],
    [
      'it goes on without a replica',
      [{ db1: seen(primary({ ackGaps: ['rpl_semi_sync_master_timeout=86400000'] })) }],
      /^db1 may acknowledge what no other server has; it needs rpl_semi_sync_master_timeout=86400000\.$/,
    ],
    [
      'replication is asynchronous',
      [{ db1: seen(writes('db1')) }],
      /needs rpl_semi_sync_master_enabled=1, rpl_semi_sync_master_wait_point=AFTER_SYNC, rpl_semi_sync_master_timeout=86400000\.$/,
    ],
    ['it waits for nobody now', [{ db1: seen(primary({ ackers: null })) }], /^db1 waits for no replica now/],
    [
      'a stranger acknowledges',
      [{}, { strangers: 1 }],
      /^Servers outside the service acknowledge the commits of db1: 1\.$/,
    ],
    [
      'a replica cannot be reached',
      [{ db3: { look: refusing } }],
      /^db3 cannot be reached, and may have what/,
    ],
    ['a replica that is out is away', [{ db3: { look: refusing, ...out } }], /^db3 cannot be reached/],
    [
      'a replica that is out acknowledges',
      [{ db3: out }],
      /^db3 is SHUNNED, and acknowledges the commits of db1\.$/,
    ],
    [
      'no other can be the primary',
      [{ db2: { role: 'archive' }, db3: { role: 'relay' } }],
      /^No other data source/,
    ],
  ])('is left to a person where %s', (_what, [members, more], expected) => {
    const { reasons } = decide(members, more)
    expect(reasons.join(' ')).toMatch(expected)
    expect(reasons).toHaveLength(1)
  })

  it('goes on without a replica that is out and acknowledges nothing', () => {
    const silent = replica('db3', { semiSync: { source: false, replica: false } })
    expect(decide({ db3: { ...seen(silent), ...out }, db1: seen(primary({ ackers: 1 })) }).reasons).toEqual(
      [],
    )
  })
})

const gtids = (text: string) => ({ gtids: readMariadbGtids(text) })
/** A replica that has received this. */
const received = (name: Name, text: string, more: Partial<ServerReading> = {}) => {
  const channels = knownOf(follows(name, 'db1'))?.channels ?? []
  const its = channels.map((it) => ({ ...it, receivedGtids: readMariadbGtids(text) }))
  return seen(replica(name, { ...gtids('0-1-30'), channels: its, ...more }))
}

describe('a failover where a crash may have cost a replica what it acknowledged', () => {
  const dead = (more: Partial<ServerReading> = {}): Partial<Member> => ({
    ...lost,
    known: knownOf(primary({ ...gtids('0-1-37'), ...more })),
    readAt: 100_000,
  })
  const reasons = (members: Parameters<typeof decide>[0]) => decide(members).reasons

  it('is left to a person where no server has what the primary had told', () => {
    expect(reasons({ db1: dead(), db2: received('db2', '0-1-36'), db3: received('db3', '0-1-36') })).toEqual([
      'db1 told 0-1-37, which no other server has any more.',
    ])
    expect(reasons({ db1: dead(), db2: received('db2', '0-1-37'), db3: received('db3', '0-1-36') })).toEqual(
      [],
    )
  })

  it('does not ask whether replicas have it already while the primary writes', () => {
    const alive = seen(primary(gtids('0-1-40')))
    expect(reasons({ db1: alive, db2: received('db2', '0-1-37'), db3: received('db3', '0-1-36') })).toEqual(
      [],
    )
  })

  it('goes on without what no replica had acknowledged', () => {
    const both = { db2: received('db2', '0-1-35'), db3: received('db3', '0-1-35') }
    expect(reasons({ db1: dead({ waitingCommits: 2 }), ...both })).toEqual([])
    expect(reasons({ db1: dead({ waitingCommits: 1 }), ...both })).toHaveLength(1)
  })

  it('is left to a person where a replica was started after the primary was read last', () => {
    const started = (uptime: number) =>
      reasons({
        db1: dead(),
        db2: { ...received('db2', '0-1-37', { uptime }), readAt: 110_000 },
        db3: { ...received('db3', '0-1-37', { uptime: 500 }), readAt: 110_000 },
      })
    expect(started(9)).toEqual([
      'db2 was started after db1 was read last, and may have lost what it acknowledged.',
    ])
    expect(started(13)).toEqual([])
  })
})

describe('a failover away from a primary that is back without its last commits', () => {
  const back = (more: Partial<ServerReading> = {}): Partial<Member> => ({
    ...seen(idle('db1')),
    ...seen(answered({ serverId: 1, ...gtids('0-1-36'), ...more })),
    state: 'FAILED',
  })
  const others = { db2: received('db2', '0-1-37'), db3: received('db3', '0-1-36') }

  it('is due, whatever its settings are, once it failed for that', () => {
    expect(decide({ db1: back(), ...others })).toEqual({
      reasons: [],
      lost: 'db1',
      candidates: ['db2', 'db3'],
    })
    expect(decide({ db1: { ...back(), state: 'ONLINE' }, ...others }).lost).toBeNull()
  })

  it('is not due where it has all, can be written, or follows another one', () => {
    const of = (more: Partial<ServerReading>) => decide({ db1: back(more), ...others }).lost
    expect(of(gtids('0-1-37'))).toBeNull()
    expect(of({ isWritable: true })).toBeNull()
    expect(of({ channels: knownOf(follows('db1', 'db2'))?.channels ?? [] })).toBeNull()
  })

  it('is not due for what another server wrote by itself', () => {
    expect(
      decide({ db1: back(), db2: received('db2', '0-2-37'), db3: received('db3', '0-1-36') }).lost,
    ).toBeNull()
  })

  it('is left to a person while another one cannot be reached', () => {
    expect(decide({ db1: back(), ...others, db3: { look: refusing } }).reasons).toEqual([
      'db3 cannot be reached, and may have what no other server has.',
    ])
  })
})

describe('servers that acknowledge the commits of a primary', () => {
  const count = (more: Partial<Record<Name, ReturnType<typeof primary>>>): number => {
    const members = names.map((name) => memberOf(name, more[name] ?? looks[name]))
    return countStrangers(members[0] as Member, members)
  }
  const channelOf = (receiver: 'running' | 'connecting') =>
    follows('db2', 'db1').kind === 'answered'
      ? replica('db2', {
          channels: knownOf(follows('db2', 'db1'))?.channels.map((it) => ({ ...it, receiver })) ?? [],
        })
      : refusing

  it('are none of the service where more of them are than its replicas could', () => {
    expect(count({})).toBe(0)
    expect(count({ db1: primary({ ackers: 3 }) })).toBe(1)
    expect(count({ db1: primary({ ackers: 0 }) })).toBe(0)
    expect(count({ db1: primary({ ackers: null }) })).toBe(0)
  })

  it('are not the replicas that are not connected, follow another server or acknowledge nothing', () => {
    expect(count({ db2: channelOf('connecting') })).toBe(1)
    expect(count({ db2: channelOf('running') })).toBe(0)
    expect(count({ db3: follows('db3', 'db2', { semiSync: { source: false, replica: true } }) })).toBe(1)
    expect(count({ db3: follows('db3', 'db1') })).toBe(1)
  })
})
