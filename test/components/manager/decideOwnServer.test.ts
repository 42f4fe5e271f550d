import { describe, expect, it } from 'vitest'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { readMariadbGtids } from '../../../src/components/databases/gtidSet.ts'
import type { ServerReading } from '../../../src/components/databases/probe.ts'
import { decideOwnServer } from '../../../src/components/manager/decideOwnServer.ts'
import { named, unconfirmed } from '../../../src/components/manager/decideWriter.ts'
import type { Member } from '../../../src/components/manager/replicationGraph.ts'
import { channel, idleReading, refusing } from './support.ts'

type Facts = Parameters<typeof decideOwnServer>[0]

const gtids = readMariadbGtids('0-1-35')
const place = (name: string) => ({ host: `10.0.0.${name.slice(2)}`, port: 3306 })

function member(
  name: string,
  reading: Partial<ServerReading> | undefined,
  more: Partial<Member> = {},
): Member {
  const known = reading ? { ...idleReading, serverId: Number(name.slice(2)), gtids, ...reading } : null
  const error = new DatabaseError({ code: 'unreachable', message: 'It cannot be reached.' })
  return {
    name,
    ...place(name),
    role: name === 'db1' ? 'primary' : 'replica',
    state: 'ONLINE',
    look: known ? { kind: 'answered', reading: known } : { kind: 'failed', error },
    known,
    failures: known ? 0 : 5,
    ...more,
  }
}

const channelTo = (name: string, more = {}) => ({
  ...channel,
  source: place(name),
  sourceId: Number(name.slice(2)),
  receivedGtids: gtids,
  ...more,
})
const follows = (name: string, more = {}) => ({ channels: [channelTo(name, more)] })

const hour = 3_600_000
const writer = {
  datasource: null,
  code: 'read-only-primary',
  reason: 'db1 is read-only',
  hold: true,
} as const

/** The primary db1 was started again and is read-only; db2 and db3 follow it. */
const facts = (more: Partial<Omit<Facts, 'own'>> & { readonly own?: Partial<Facts['own']> } = {}): Facts => ({
  service: 'alpha',
  members: [member('db1', {}), member('db2', follows('db1')), member('db3', follows('db1'))],
  incumbent: unconfirmed('db1', []),
  policy: 'AUTOMATIC',
  onOutsideChange: 'follow',
  openSwitch: null,
  writer,
  ...more,
  own: {
    name: 'db1',
    startedAt: 2 * hour,
    lastRun: { startedAt: hour, wasWriter: true, wasSemiSyncSource: false },
    vain: 0,
    ...more.own,
  },
})

const members = (...replaced: readonly Member[]): readonly Member[] =>
  facts().members.map((it) => replaced.find(({ name }) => name === it.name) ?? it)

describe('the former writer, started again as a read-only server,', () => {
  it('becomes writable where all others follow it and have nothing that it lacks', () => {
    expect(decideOwnServer(facts())).toEqual({ kind: 'writable', isSemiSyncSource: false })
  })

  it('is a source of semi-synchronous replication again if it was one', () => {
    const lastRun = { startedAt: hour, wasWriter: true, wasSemiSyncSource: true }
    expect(decideOwnServer(facts({ own: { lastRun } }))).toEqual({ kind: 'writable', isSemiSyncSource: true })
  })

  it('becomes writable where its host set the clock back before it was started', () => {
    expect(decideOwnServer(facts({ own: { startedAt: hour / 2 } }))).toMatchObject({ kind: 'writable' })
  })

  it('becomes writable where one of two others cannot be reached', () => {
    expect(decideOwnServer(facts({ members: members(member('db3', undefined)) }))).toMatchObject({
      kind: 'writable',
    })
  })

  it('becomes writable where a replica that was taken out says otherwise', () => {
    const out = member('db3', follows('db9', { receivedGtids: readMariadbGtids('0-9-99') }), {
      state: 'SHUNNED',
    })
    expect(decideOwnServer(facts({ members: members(out) }))).toMatchObject({ kind: 'writable' })
  })

  it.each([
    [
      'nobody else can be reached',
      [member('db2', undefined), member('db3', undefined)],
      /^db2 and db3 cannot be/,
    ],
    ['another one can be written', [member('db3', { isWritable: true })], /^db3 can be written$/],
    [
      'one that was taken out can be written',
      [member('db3', { isWritable: true }, { state: 'SHUNNED' })],
      /^db3 can/,
    ],
    [
      'a replica can be written',
      [member('db3', { ...follows('db1'), isWritable: true })],
      /^db3 can be written$/,
    ],
    ['another one follows nobody', [member('db3', {})], /^db3 does not follow it$/],
    ['another one follows a stranger', [member('db3', follows('db9'))], /^db3 does not follow it$/],
    [
      'another one follows a stranger, too',
      [member('db3', { channels: [channelTo('db1'), channelTo('db9', { name: 'b' })] })],
      /^db3 does not follow it$/,
    ],
    [
      'another one has applied what it lacks',
      [member('db3', { ...follows('db1'), gtids: readMariadbGtids('0-1-36') })],
      /^db3 has transactions that it does not have: 0-1-36$/,
    ],
    [
      'another one has received what it lacks',
      [member('db3', follows('db1', { receivedGtids: readMariadbGtids('0-1-37') }))],
      /^db3 has transactions that it does not have: 0-1-37$/,
    ],
    [
      'the GTIDs of another one are unknown',
      [member('db3', { ...follows('db1'), gtids: null })],
      /^the GTIDs of db3 are not known$/,
    ],
    [
      'what another one received is unknown',
      [member('db3', follows('db1', { receivedGtids: null }))],
      /^the GTIDs of db3 are not known$/,
    ],
    ['its own GTIDs are unknown', [member('db1', { gtids: null })], /^the GTIDs of db1 are not known$/],
  ] as const)('waits for a person where %s', (_, replaced, reason) => {
    expect(decideOwnServer(facts({ members: members(...replaced) }))).toEqual({
      kind: 'wait',
      reason: expect.stringMatching(reason),
    })
  })

  it('waits for a person where one of two servers cannot be reached', () => {
    const two = [member('db1', {}), member('db2', undefined)]
    expect(decideOwnServer(facts({ members: two }))).toMatchObject({ kind: 'wait' })
  })

  it.each([
    ['was not started since', { own: { startedAt: hour + 1500 } }],
    [
      'was no writer before',
      { own: { lastRun: { startedAt: hour, wasWriter: false, wasSemiSyncSource: false } } },
    ],
    ['has no record', { own: { lastRun: undefined } }],
    ['does not say when it was started', { own: { startedAt: null } }],
    ['follows another one', { members: members(member('db1', follows('db2'))) }],
    ['can be written', { members: members(member('db1', { isWritable: true })) }],
    ['cannot be checked', { members: members(member('db1', undefined)) }],
    ['was taken out', { members: members(member('db1', {}, { state: 'OFFLINE' })) }],
    ['is in no AUTOMATIC service', { policy: 'MANUAL' }],
    ['is in a switch', { openSwitch: { from: 'db1', to: 'db2', isInForce: false, mayBePromoted: false } }],
    ['is not the only primary of the map', { incumbent: unconfirmed(null, []) }],
    ['is none of the service', { own: { name: 'db9' } }],
  ] as const)('is left alone where it %s', (_, more) => {
    expect(decideOwnServer(facts(more))).toBeNull()
  })
})

describe('a server that can be written while another one is the writer', () => {
  const confirmed = { ...named('db2'), isNamed: false, isConfirmed: true }
  const written = { datasource: 'db2', code: null, reason: null, hold: false }
  const own = member('db1', { ...follows('db2'), isWritable: true })
  const replica = facts({
    members: members(own, member('db2', { isWritable: true }), member('db3', follows('db2'))),
    incumbent: confirmed,
    writer: written,
    own: { lastRun: { startedAt: hour, wasWriter: false, wasSemiSyncSource: false } },
  })

  it('becomes read-only as a replica', () => {
    expect(decideOwnServer(replica)).toEqual({ kind: 'read-only' })
  })

  it('becomes read-only where it follows nobody', () => {
    const rival = member('db1', { isWritable: true })
    const all = replica.members.map((it) => (it.name === 'db1' ? rival : it))
    expect(decideOwnServer({ ...replica, members: all })).toEqual({ kind: 'read-only' })
  })

  it('becomes read-only after its start, also where its primary is not writable yet', () => {
    const all = replica.members.map((it) => (it.name === 'db2' ? member('db2', {}) : it))
    const waiting = { ...replica, members: all, writer, incumbent: unconfirmed('db2', []) }
    expect(decideOwnServer(waiting)).toEqual({ kind: 'read-only' })
  })

  it.each([
    ['another one is the writer', {}],
    ['nobody is known as the writer', { writer }],
    [
      'the writer is not confirmed',
      { incumbent: unconfirmed('db2', []), own: { ...replica.own, startedAt: hour } },
    ],
    ['the policy is MAINTENANCE', { policy: 'MAINTENANCE' as const }],
    [
      'a switch is under way',
      { openSwitch: { from: 'db2', to: 'db1', isInForce: true, mayBePromoted: true } },
    ],
  ])('is left alone where %s and it was not started since', (_, more) => {
    expect(decideOwnServer({ ...replica, own: { ...replica.own, startedAt: hour }, ...more })).toBeNull()
  })

  it('is left alone where it was started since and follows a stranger', () => {
    const astray = member('db1', { ...follows('db9'), isWritable: true })
    const all = replica.members.map((it) => (it.name === 'db1' ? astray : it))
    expect(
      decideOwnServer({ ...replica, members: all, writer, incumbent: unconfirmed('db2', []) }),
    ).toBeNull()
  })
})

describe('a former writer whose place another one took while it was away', () => {
  const confirmed = { ...named('db2'), isNamed: false, isConfirmed: true }
  const deposed = (reading: Partial<ServerReading>, more: Parameters<typeof facts>[0] = {}) =>
    decideOwnServer(
      facts({
        members: members(
          member('db1', reading, { state: 'FAILED' }),
          member('db2', { isWritable: true, gtids: readMariadbGtids('0-1-35,0-2-40', '0-1-35') }),
          member('db3', follows('db2')),
        ),
        incumbent: confirmed,
        writer: { datasource: 'db2', code: null, reason: null, hold: false },
        own: { startedAt: hour },
        ...more,
      }),
    )

  it('becomes read-only, also without a start of its own: it hung', () => {
    expect(deposed({ isWritable: true })).toEqual({ kind: 'read-only' })
  })

  const waiting = { isWritable: true, waitingCommits: 1, ackGaps: [] }
  const lastRun = { startedAt: hour, wasWriter: true, wasSemiSyncSource: true }

  it('is killed where its commits wait for a replica: ended otherwise, they would become its own transactions', () => {
    expect(deposed(waiting)).toEqual({ kind: 'crash' })
  })

  it('is killed with them where it is a MySQL, too, which nobody makes read-only before', () => {
    expect(deposed({ ...waiting, version: '9.7.0' })).toEqual({ kind: 'crash' })
  })

  it('is left with them where it is a MySQL, and what the new primary has of it is not known', () => {
    const unread = [
      member('db1', { ...waiting, version: '9.7.0' }, { state: 'FAILED' }),
      { ...member('db2', { isWritable: true }), look: refusing },
      member('db3', follows('db2')),
    ]
    expect(deposed({}, { members: members(...unread) })).toBeNull()
    expect(
      deposed({}, { members: members(member('db1', waiting, { state: 'FAILED' }), ...unread.slice(1)) }),
    ).toEqual({ kind: 'crash' })
  })

  it('becomes read-only with them where it is a MySQL that was killed once: it keeps them anyway', () => {
    const own = { startedAt: hour, lastRun: { ...lastRun, wasCrashed: true } } as const
    expect(deposed({ ...waiting, version: '9.7.0' }, { own })).toEqual({ kind: 'read-only' })
  })

  it.each<readonly [string, Partial<ServerReading>, Parameters<typeof facts>[0]]>([
    [
      'it was killed once in that run',
      {},
      { own: { startedAt: hour, lastRun: { ...lastRun, wasCrashed: true } } },
    ],
    ['it was started since', {}, { own: { startedAt: 2 * hour } }],
    ['its commits do not wait for ever', { ackGaps: ['rpl_semi_sync_master_timeout=86400000'] }, {}],
    ['the policy is MANUAL', {}, { policy: 'MANUAL' }],
    ['nobody is confirmed as the writer', {}, { incumbent: unconfirmed('db2', []) }],
  ])('is left as it is while its commits wait where %s', (_what, reading, more) => {
    expect(deposed({ ...waiting, ...reading }, more)).toBeNull()
  })

  it('then follows the new one where that has all of its transactions', () => {
    expect(deposed({})).toEqual({ kind: 'follow', to: 'db2' })
  })

  it('follows the new one where it lost some of its own, and takes them back', () => {
    expect(deposed({ gtids: readMariadbGtids('0-1-34'), takesOwn: true })).toEqual({
      kind: 'follow',
      to: 'db2',
    })
  })

  it.each<readonly [string, Partial<ServerReading>, Parameters<typeof facts>[0]]>([
    ['it has transactions of its own', { gtids: readMariadbGtids('0-1-36') }, {}],
    ['its transactions are unknown', { gtids: null }, {}],
    ['it lost some of its own, and would leave them out', { gtids: readMariadbGtids('0-1-34') }, {}],
    ['it follows somebody', follows('db9'), {}],
    ['nobody is confirmed as the writer', {}, { incumbent: unconfirmed('db2', []) }],
    ['the policy is MANUAL', {}, { policy: 'MANUAL' }],
    [
      'it was no writer when it was last well',
      {},
      { own: { lastRun: { startedAt: hour, wasWriter: false, wasSemiSyncSource: false } } },
    ],
  ])('is left alone where %s', (_what, reading, more) => {
    expect(deposed(reading, more)).toBeNull()
  })
})

describe('a former writer that is back before the one that took its place and ended', () => {
  const writer = {
    datasource: null,
    code: 'read-only-primary',
    reason: 'db2 is read-only',
    hold: true,
  } as const
  const heir = { gtids: readMariadbGtids('0-1-35,0-2-36', '0-1-35') }
  const back = (
    more: {
      readonly own?: Partial<ServerReading>
      readonly heir?: Partial<ServerReading>
      readonly other?: Partial<ServerReading>
    } = {},
    others: Parameters<typeof facts>[0] = {},
  ) =>
    decideOwnServer(
      facts({
        members: members(
          member('db1', { ...more.own }, { state: 'FAILED' }),
          member('db2', { ...heir, ...more.heir }, { state: 'FAILED' }),
          member('db3', more.other ?? follows('db2')),
        ),
        incumbent: unconfirmed('db2', []),
        writer,
        ...others,
      }),
    )

  it('follows it, since it waits for that once it is back, as a replica of it shows', () => {
    expect(back()).toEqual({ kind: 'follow', to: 'db2' })
    expect(back({ own: { gtids: heir.gtids } })).toEqual({ kind: 'follow', to: 'db2' })
  })

  it('follows it also where nobody else does, once it was seen as the primary', () => {
    const seen = { incumbent: { ...unconfirmed('db2', []), isConfirmed: true } }
    expect(back({ other: follows('db1') }, seen)).toEqual({ kind: 'follow', to: 'db2' })
  })

  it('follows it also where there is no other one that could show it', () => {
    const two = [member('db1', {}, { state: 'FAILED' }), member('db2', heir, { state: 'FAILED' })]
    expect(decideOwnServer(facts({ members: two, incumbent: unconfirmed('db2', []), writer }))).toEqual({
      kind: 'follow',
      to: 'db2',
    })
  })

  it.each<readonly [string, Parameters<typeof back>[0], Parameters<typeof facts>[0]]>([
    ['a replica of its own shows that it is still the one', { other: follows('db1') }, {}],
    ['it follows another one itself', { heir: follows('db3') }, {}],
    ['this one has transactions of its own', { own: { gtids: readMariadbGtids('0-1-36') } }, {}],
    ['this one was not started since', {}, { own: { startedAt: hour } }],
    [
      'this one was no writer',
      {},
      { own: { lastRun: { startedAt: hour, wasWriter: false, wasSemiSyncSource: false } } },
    ],
    ['the policy is MANUAL', {}, { policy: 'MANUAL' }],
  ])('is left alone where %s', (_what, more, other) => {
    expect(back(more, other)).toBeNull()
  })

  it('is left alone where the other one cannot be read', () => {
    const all = members(member('db1', {}), member('db2', undefined), member('db3', follows('db2')))
    expect(decideOwnServer(facts({ members: all, incumbent: unconfirmed('db2', []), writer }))).toBeNull()
  })
})

describe('a primary that ended as soon as it had taken the place of another one, and wrote nothing,', () => {
  const lastRun = { startedAt: hour, wasWriter: false, wasSemiSyncSource: true, follows: 'db2' }
  const more = readMariadbGtids('0-1-35,0-2-37')
  const back = (
    changed: {
      readonly former?: Partial<ServerReading>
      readonly state?: Member['state']
      readonly own?: Partial<ServerReading>
      readonly other?: Partial<ServerReading>
    } = {},
    own: Parameters<typeof facts>[0] = {},
  ) =>
    decideOwnServer(
      facts({
        members: members(
          member('db1', { ...changed.own }),
          member('db2', { gtids: more, ...changed.former }, { state: changed.state ?? 'FAILED' }),
          member('db3', { ...follows('db1'), ...changed.other }),
        ),
        own: { lastRun },
        ...own,
      }),
    )

  it('gives way to the former one, which is back and has more than any other', () => {
    expect(back()).toEqual({ kind: 'follow', to: 'db2' })
    expect(back({}, { own: { lastRun: { ...lastRun, wasWriter: true } } })).toEqual({
      kind: 'follow',
      to: 'db2',
    })
  })

  it('gives way to the former one, which has the same and can be written already', () => {
    expect(back({ former: { gtids, isWritable: true } })).toEqual({ kind: 'follow', to: 'db2' })
    expect(back({ former: { gtids } })).toBeNull()
  })

  it.each<readonly [string, Parameters<typeof back>[0], Parameters<typeof facts>[0]]>([
    [
      'it wrote something that the former one lacks',
      { own: { gtids: readMariadbGtids('0-1-35,0-9-36') } },
      {},
    ],
    [
      'another one received something that the former one lacks',
      { other: follows('db1', { receivedGtids: readMariadbGtids('0-1-35,0-2-38') }) },
      {},
    ],
    ['what another one received is not known', { other: follows('db1', { receivedGtids: null }) }, {}],
    ['another one can be written', { other: { isWritable: true } }, {}],
    ['the former one follows somebody', { former: follows('db3') }, {}],
    ['the former one was taken out', { state: 'SHUNNED' }, {}],
    ['it was not started since', {}, { own: { lastRun, startedAt: hour } }],
    ['a person named it', {}, { incumbent: named('db1') }],
    ['it had followed another one', {}, { own: { lastRun: { ...lastRun, follows: 'db3' } } }],
    ['the policy is MANUAL', {}, { policy: 'MANUAL' }],
  ])('does not where %s', (_what, changed, own) => {
    expect(back(changed, own)).toBeNull()
  })

  it('does not where one cannot be read, which may have more', () => {
    const all = members(member('db2', { gtids: more }, { state: 'FAILED' }), member('db3', undefined))
    expect(decideOwnServer(facts({ members: all, own: { lastRun } }))).toBeNull()
  })
})

describe('a former writer that all others follow again', () => {
  const given = (
    changed: {
      readonly own?: Partial<ServerReading>
      readonly heir?: Partial<ServerReading>
      readonly other?: Member
    } = {},
    more: Parameters<typeof facts>[0] = {},
  ) =>
    decideOwnServer(
      facts({
        members: members(
          member('db1', { ...changed.own }, { state: 'FAILED' }),
          member('db2', { ...follows('db1'), ...changed.heir }),
          changed.other ?? member('db3', follows('db2')),
        ),
        incumbent: unconfirmed('db2', []),
        writer: { ...writer, code: 'no-writer', reason: 'db2 follows db1' },
        ...more,
      }),
    )

  it('becomes writable, since the one that took its place gave way to it', () => {
    expect(given()).toEqual({ kind: 'writable', isSemiSyncSource: false })
    const lastRun = { startedAt: hour, wasWriter: true, wasSemiSyncSource: true }
    expect(given({}, { own: { lastRun } })).toEqual({ kind: 'writable', isSemiSyncSource: true })
  })

  it('becomes writable in the same run, too: the one that took its place stopped it then', () => {
    expect(given({}, { own: { startedAt: hour } })).toMatchObject({ kind: 'writable' })
  })

  it.each<readonly [string, Parameters<typeof given>[0], Parameters<typeof facts>[0]]>([
    [
      'one of them has received more',
      { heir: follows('db1', { receivedGtids: readMariadbGtids('0-1-36') }) },
      {},
    ],
    ['one of them can be written', { heir: { isWritable: true } }, {}],
    ['one of them follows another one', { other: member('db3', follows('db9')) }, {}],
    ['one of them cannot be read', { other: member('db3', undefined) }, {}],
    ['a person named the other one', {}, { incumbent: named('db2') }],
    ['it follows one itself', { own: follows('db3') }, {}],
    ['its transactions are unknown', { own: { gtids: null } }, {}],
    [
      'it was no writer',
      {},
      { own: { lastRun: { startedAt: hour, wasWriter: false, wasSemiSyncSource: false } } },
    ],
    [
      'a switch is under way',
      {},
      { openSwitch: { from: 'db1', to: 'db2', isInForce: true, mayBePromoted: true } },
    ],
    ['the policy is MANUAL', {}, { policy: 'MANUAL' }],
  ])('does not where %s', (_what, changed, more) => {
    expect(given(changed, more)).toBeNull()
  })
})

/** Settings of a source that acknowledges nothing too early, but for the role, which a start takes. */
const roleAlone = { ackGaps: ['rpl_semi_sync_master_enabled=1'] }
/** A source that waits for replicas and has none. */
const waitsInVain = { isWritable: true, ackGaps: [], ackers: 0 }

describe('the former source of semi-synchronous replication, whose crash may have cost it its last commit,', () => {
  const lastRun = { startedAt: hour, wasWriter: true, wasSemiSyncSource: true }
  const again = (...replaced: readonly Member[]) =>
    decideOwnServer(facts({ members: members(...replaced), own: { lastRun } }))
  const wait = (reason: RegExp) => ({ kind: 'wait', reason: expect.stringMatching(reason) })

  it('waits for every other one, since any of them may have what it lost', () => {
    expect(again(member('db3', undefined))).toEqual(wait(/^db3 cannot be checked, and may have what it lost/))
    expect(again()).toEqual({ kind: 'writable', isSemiSyncSource: true })
  })

  it('waits for all of them where nothing but the role is missing, whatever is recorded', () => {
    const found = decideOwnServer(
      facts({ members: members(member('db1', roleAlone), member('db3', undefined)) }),
    )
    expect(found).toEqual(wait(/^db3 cannot be checked/))
  })

  it('waits where one that a person took out has more', () => {
    const has = { ...follows('db1'), gtids: readMariadbGtids('0-1-36') }
    expect(again(member('db3', has, { state: 'SHUNNED' }))).toEqual(wait(/^db3 has transactions/))
  })

  it('is the writer again beside one that follows nobody and has less', () => {
    expect(again(member('db3', { gtids: readMariadbGtids('0-1-34') }))).toMatchObject({ kind: 'writable' })
    expect(again(member('db3', { gtids: readMariadbGtids('0-1-36') }))).toEqual(wait(/^db3 has transactions/))
  })

  it('is the writer of two that have the same where it is the first of the map', () => {
    expect(again(member('db3', {}))).toMatchObject({ kind: 'writable' })
    const idle = [member('db3', {}), member('db1', {}), member('db2', follows('db1'))]
    expect(decideOwnServer(facts({ members: idle, own: { lastRun } }))).toEqual(
      wait(/^db3 does not follow it$/),
    )
  })

  it('is the writer again where another one still follows the one before, but not beside one of a stranger', () => {
    expect(again(member('db3', follows('db2')))).toMatchObject({ kind: 'writable' })
    expect(again(member('db3', follows('db9')))).toEqual(wait(/^db3 does not follow it$/))
  })
})

describe('a replica that was away while another one took the place of its primary', () => {
  const writer = { datasource: 'db2', code: null, reason: null, hold: false } as const
  const lastRun = { startedAt: hour, wasWriter: false, wasSemiSyncSource: false, follows: 'db1' }
  const left = (
    reading: Partial<ServerReading>,
    more: Parameters<typeof facts>[0] = {},
    former: Partial<ServerReading> | undefined = {},
  ) =>
    decideOwnServer(
      facts({
        members: [
          member('db1', former),
          member('db2', { isWritable: true, gtids: readMariadbGtids('0-1-35,0-2-40', '0-1-35') }),
          member('db3', reading),
        ],
        incumbent: { ...unconfirmed('db2', []), isConfirmed: true },
        writer,
        own: { name: 'db3', startedAt: hour, lastRun },
        ...more,
      }),
    )

  it('follows the new one', () => {
    expect(left(follows('db1'))).toEqual({ kind: 'follow', to: 'db2' })
    expect(left(follows('db1'), {}, undefined)).toEqual({ kind: 'follow', to: 'db2' })
  })

  it.each<readonly [string, Parameters<typeof left>]>([
    ['somebody let it follow another one since', [follows('db9')]],
    ['the one before can still be written', [follows('db1'), {}, { isWritable: true }]],
    ['it has transactions of its own', [{ ...follows('db1'), gtids: readMariadbGtids('0-1-35,0-3-36') }]],
    ['it received what the new one lacks', [follows('db1', { receivedGtids: readMariadbGtids('0-1-41') })]],
    ['it has several sources', [{ channels: [channelTo('db1'), channelTo('db1', { name: 'b' })] }]],
    ['nobody is confirmed as the writer', [follows('db1'), { incumbent: unconfirmed('db2', []) }]],
    ['clients cannot write', [follows('db1'), { writer: { ...writer, datasource: null } }]],
    ['the policy is MANUAL', [follows('db1'), { policy: 'MANUAL' }]],
    [
      'it never followed the one before',
      [follows('db1'), { own: { name: 'db3', startedAt: hour, lastRun: { ...lastRun, follows: 'db2' } } }],
    ],
  ])('is left alone where %s', (_what, given) => {
    expect(left(...given)).toBeNull()
  })
})

describe('a primary that waits for replicas and has none', () => {
  const lastRun = { startedAt: hour, wasWriter: true, wasSemiSyncSource: true }

  it('ends its commits where another one took its place, although that one cannot be written now', () => {
    const deposed = (reading: Partial<ServerReading>) =>
      decideOwnServer(
        facts({
          members: members(member('db1', reading), member('db2', {})),
          incumbent: unconfirmed('db2', []),
          own: { startedAt: hour, lastRun },
        }),
      )
    expect(deposed({ ...waitsInVain, waitingCommits: 2 })).toEqual({ kind: 'crash' })
    expect(deposed(waitsInVain)).toEqual({ kind: 'read-only' })
    expect(deposed({ ...waitsInVain, ackers: 1 })).toBeNull()
  })

  const stale = (more: Partial<ServerReading>, other: Partial<ServerReading>) =>
    decideOwnServer(
      facts({
        members: [
          member('db1', { ...waitsInVain, gtids: readMariadbGtids('0-1-37'), waitingCommits: 2, ...more }),
          member('db2', other),
          member('db3', follows('db2')),
        ],
        incumbent: { ...unconfirmed('db1', []), isConfirmed: true },
        own: { startedAt: hour, lastRun },
      }),
    )
  const heir = { gtids: readMariadbGtids('0-1-35,0-2-40') }

  it('gives way to one that has more and was started since, before that one is made writable', () => {
    expect(stale({}, heir)).toEqual({ kind: 'crash' })
    expect(stale({ waitingCommits: 0, gtids: readMariadbGtids('0-1-35') }, heir)).toEqual({
      kind: 'read-only',
    })
  })

  it.each<readonly [string, Partial<ServerReading>, Partial<ServerReading>]>([
    ['has told what the other one lacks', { waitingCommits: 1 }, heir],
    ['has a replica', { ackers: 1 }, heir],
    ['would go on without one', { ackGaps: ['rpl_semi_sync_master_timeout=86400000'] }, heir],
    ['lacks nothing of the other one', {}, { gtids: readMariadbGtids('0-1-35') }],
    ['is missed by a replica alone', {}, { ...heir, ...follows('db9') }],
  ])('goes on where it %s', (_what, more, other) => {
    expect(stale(more, other)).toBeNull()
  })
})

describe('a writer whose settings are those of a source of semi-synchronous replication', () => {
  const alone = (reading: Partial<ServerReading>, more: Parameters<typeof facts>[0] = {}) =>
    decideOwnServer(
      facts({
        members: members(member('db1', { isWritable: true, ...roleAlone, semiSyncClients: 1, ...reading })),
        incumbent: { ...unconfirmed('db1', []), isConfirmed: true },
        writer: { datasource: 'db1', code: null, reason: null, hold: false },
        ...more,
      }),
    )

  it('waits for the word of a replica again once one would give it', () => {
    expect(alone({})).toEqual({ kind: 'semi-sync' })
  })

  it.each<readonly [string, Partial<ServerReading>, Parameters<typeof facts>[0]]>([
    ['no replica acknowledges', { semiSyncClients: 0 }, {}],
    [
      'other settings are missing, too',
      { ackGaps: [...roleAlone.ackGaps, 'rpl_semi_sync_master_timeout=86400000'] },
      {},
    ],
    ['it is one already', { ackGaps: [] }, {}],
    ['the policy is MANUAL', {}, { policy: 'MANUAL' }],
    ['it is not confirmed', {}, { incumbent: unconfirmed('db1', []) }],
  ])('stays as it is where %s', (_what, reading, more) => {
    expect(alone(reading, more)).toBeNull()
  })
})

describe('a writer whose commits wait in vain for a replica that is there', () => {
  const waiting = { isWritable: true, waitingCommits: 2, ackGaps: [], ackers: 1 }
  const stuck = (vain: number, more: Parameters<typeof facts>[0] = {}) =>
    decideOwnServer(
      facts({
        members: members(member('db1', waiting)),
        incumbent: { ...named('db1'), isConfirmed: true },
        writer: { datasource: 'db1', code: null, reason: null, hold: false },
        ...more,
        own: { startedAt: hour, vain, ...more.own },
      }),
    )

  it('is killed after ten seconds: another one has all of that, and takes its place', () => {
    expect(stuck(9_999)).toBeNull()
    expect(stuck(10_000)).toEqual({ kind: 'crash' })
  })

  it.each<readonly [string, Parameters<typeof facts>[0]]>([
    [
      'it was killed once in that run',
      { own: { lastRun: { startedAt: hour, wasWriter: true, wasSemiSyncSource: true, wasCrashed: true } } },
    ],
    ['the policy is MANUAL', { policy: 'MANUAL' }],
    ['a switch is open', { openSwitch: { from: 'db1', to: 'db2', isInForce: true, mayBePromoted: false } }],
    [
      'its commits do not wait for ever',
      { members: members(member('db1', { ...waiting, ackGaps: ['rpl_semi_sync_master_timeout=86400000'] })) },
    ],
  ])('is left alone where %s', (_why, more) => {
    expect(stuck(60_000, more)).toBeNull()
  })
})
