import { describe, expect, it } from 'vitest'
import type { Channel } from '../../../src/components/databases/dialect.ts'
import { readMariadbGtids, readMysqlGtids } from '../../../src/components/databases/gtidSet.ts'
import type { ServerReading } from '../../../src/components/databases/probe.ts'
import { assessService, type ServiceAssessment } from '../../../src/components/manager/assessService.ts'
import {
  type Incumbent,
  named,
  type OpenSwitch,
  unconfirmed,
} from '../../../src/components/manager/decideWriter.ts'
import type { Member } from '../../../src/components/manager/replicationGraph.ts'
import type { OutsideChange } from '../../../src/contracts/choices.ts'
import type { Policy } from '../../../src/contracts/managerPayloads.ts'
import type { DataSourceRole } from '../../../src/contracts/servicesMap.ts'
import { answered, channel, lockedOut, refusing } from './support.ts'

type Name = 'db1' | 'db2' | 'db3' | 'db4'
const hostOf = (name: Name): string => `10.0.0.${name.slice(2)}`
const idOf = (name: Name): number => Number(name.slice(2))

/** A channel from a member, connected, by its number. */
const from = (name: Name, more: Partial<Channel> = {}): Channel => ({
  ...channel,
  source: { host: hostOf(name), port: 3306 },
  sourceId: idOf(name),
  ...more,
})
const stranger = from('db1', { source: { host: '192.0.2.7', port: 3306 }, sourceId: 77 })

type Sight = Pick<Member, 'look' | 'known'>
const read = (more: Partial<ServerReading>): Sight => {
  const look = answered(more)
  return { look, known: look.kind === 'answered' ? look.reading : null }
}
/** May be written and follows nobody. */
const writes: Sight = read({ isWritable: true })
/** Takes no writes and follows nobody. */
const idle: Sight = read({})
const follows = (name: Name, more: Partial<Channel> = {}): Sight => read({ channels: [from(name, more)] })
const gone: Sight = { look: refusing, known: null }
/** Not reached any more. */
const lost = ({ known }: Sight): Sight => ({ look: refusing, known })
const closed: Sight = { look: lockedOut, known: null }
const unread: Sight = { look: { kind: 'unread' }, known: null }

type Row = Sight & Partial<Pick<Member, 'state' | 'role' | 'failures'>>

const confirmed: Incumbent = { ...unconfirmed('db1', []), isConfirmed: true }
const fresh: Incumbent = unconfirmed('db1', [])

function assess(
  rows: Partial<Readonly<Record<Name, Row>>>,
  more: {
    readonly incumbent?: Incumbent
    readonly policy?: Policy
    readonly onOutsideChange?: OutsideChange
    readonly maxReplicaLag?: number | null
    readonly openSwitch?: OpenSwitch
  } = {},
): ServiceAssessment {
  const names = Object.keys(rows) as Name[]
  return assessService({
    service: 'alpha',
    members: names.map((name): Member => {
      const row = rows[name] ?? unread
      const role: DataSourceRole = name === 'db1' ? 'primary' : 'replica'
      const known = row.known && { ...row.known, serverId: row.known.serverId ?? idOf(name) }
      const look = row.look.kind === 'answered' && known ? answered(known) : row.look
      return { name, host: hostOf(name), port: 3306, role, state: 'ONLINE', failures: 0, ...row, look, known }
    }),
    incumbent: confirmed,
    policy: 'AUTOMATIC',
    onOutsideChange: 'follow',
    maxReplicaLag: null,
    openSwitch: null,
    ...more,
  })
}

const failedRow = (sight: Sight): Row => ({ ...sight, state: 'FAILED' })
const shunned = (sight: Sight): Row => ({ ...sight, state: 'SHUNNED' })
const offline = (sight: Sight): Row => ({ ...sight, state: 'OFFLINE' })

type Case = [
  name: string,
  rows: Parameters<typeof assess>[0],
  more: Parameters<typeof assess>[1],
  writer: string,
  reason?: RegExp,
]

/** The decision in one text: the writer, or `hold CODE`, or `none CODE`. */
const shown = ({ writer, incumbent, fence }: ServiceAssessment, before: Incumbent): string => {
  const { datasource, code, hold } = writer
  const word = datasource ?? `${hold ? 'hold' : 'none'}${code === null ? '' : ` ${code}`}`
  const taken = incumbent.name === before.name ? '' : ', adopted'
  return `${word}${taken}${fence === null ? '' : `, ${fence} fenced`}`
}

const replicas = { db2: follows('db1'), db3: follows('db1') }
/** The view of the manager of db1 once it reaches the others again, which replaced db1 meanwhile. */
const replaced = { db1: writes, db2: failedRow(writes), db3: failedRow(follows('db2')) }
const moved = { db2: writes, db3: follows('db2') }
const hold = { onOutsideChange: 'hold' } as const
const maintained = { policy: 'MAINTENANCE' } as const
const doubted = { incumbent: fresh }

describe('the writer of a service', () => {
  it.each<Case>([
    ['is the primary that can be written', { db1: writes, ...replicas }, {}, 'db1'],
    ['is the only data source of its service', { db1: writes }, doubted, 'db1'],
    ['stays while it is not known to be down', { db1: lost(writes), ...replicas }, {}, 'db1'],
    [
      'is awaited while it is not reached and took no writes before',
      { db1: lost(idle), ...replicas },
      {},
      'hold no-writer',
      /^db1 cannot be checked, and was no primary when it could$/,
    ],
    ['stays while it cannot be checked', { db1: closed, ...replicas }, {}, 'db1'],
    ['stays where no server can be checked', { db1: closed, db2: closed, db3: closed }, doubted, 'db1'],
    [
      'is nobody once it failed, and clients wait, since somebody may replace it',
      { db1: failedRow(lost(writes)), ...replicas },
      {},
      'hold',
      /^no primary of service alpha is ONLINE: db1 is FAILED$/,
    ],
    [
      'is awaited while it comes back by itself',
      { db1: failedRow(writes), ...replicas },
      {},
      'hold',
      /db1 is FAILED$/,
    ],
    [
      'is nobody where it does not come back by itself',
      { db1: failedRow(writes), ...replicas },
      { policy: 'MANUAL' },
      'none',
      /db1 is FAILED$/,
    ],
    [
      'is nobody while somebody keeps it out',
      { db1: shunned(writes), ...replicas },
      {},
      'none',
      /db1 is SHUNNED$/,
    ],
    ['is nobody while it is out and not reached', { db1: shunned(lost(writes)), ...replicas }, {}, 'none'],
    ['is nobody while it is out and read-only', { db1: offline(idle), ...replicas }, {}, 'none'],
    ['is nobody while it is offline', { db1: offline(writes), ...replicas }, {}, 'none', /db1 is OFFLINE$/],
    [
      'is awaited until it was looked at',
      { db1: unread, ...replicas },
      doubted,
      'hold',
      /^not checked yet: db1$/,
    ],
    [
      'is awaited while it is read-only',
      { db1: idle, ...replicas },
      {},
      'hold read-only-primary',
      /^db1 is read-only$/,
    ],
    [
      'is awaited while it is read-only and has failed for that',
      { db1: failedRow(idle), ...replicas },
      {},
      'hold read-only-primary',
    ],
    [
      'is awaited while it follows somebody',
      { db1: follows('db2'), db2: follows('db1'), db3: follows('db1') },
      {},
      'hold no-writer',
      /^db1 follows db2$/,
    ],
    [
      'is awaited while it follows a stranger, whose name is shown',
      { db1: read({ isWritable: true, channels: [stranger] }), ...replicas },
      {},
      'hold no-writer',
      /^db1 follows 192\.0\.2\.7 port 3306$/,
    ],
    [
      'is not doubted for a replica that goes astray',
      { db1: writes, db2: follows('db3'), db3: idle },
      {},
      'db1',
    ],
    [
      'is nobody where the map names none',
      { db2: follows('db3') },
      { incumbent: unconfirmed(null, []) },
      'none',
    ],
  ])('%s', (_name, rows, more, writer, reason = /^/) => {
    const found = assess(rows, more)
    expect(shown(found, more?.incumbent ?? confirmed)).toBe(writer)
    expect(found.writer.reason ?? '').toMatch(reason)
    expect(found.writer.datasource === null).toBe(found.writer.reason !== null)
  })
})

describe('a writer that the manager has to confirm', () => {
  it.each<Case>([
    [
      'is written once more than half follow it',
      { db1: writes, db2: follows('db1'), db3: gone },
      doubted,
      'db1',
    ],
    [
      'waits for the first look at all',
      { db1: writes, db2: follows('db1'), db3: unread },
      doubted,
      'hold',
      /^not checked yet: db3$/,
    ],
    [
      'is not written by half of the service',
      { db1: writes, db2: gone },
      doubted,
      'hold',
      /^db1 is not known to be still the primary, since db2 cannot be checked: shun what is down, or name the primary with tapi map$/,
    ],
    [
      'is not written by fewer than half',
      { db1: writes, db2: gone, db3: closed },
      doubted,
      'hold',
      /db2 and db3 cannot be checked/,
    ],
    ['does not wait for one that is out', { db1: writes, db2: shunned(gone) }, doubted, 'db1'],
    [
      'does not wait for one that failed before',
      { db1: writes, db2: failedRow(gone) },
      { incumbent: unconfirmed('db1', ['db2']) },
      'db1',
    ],
    ['waits for one that failed since', { db1: writes, db2: failedRow(gone) }, doubted, 'hold'],
    [
      'is not written while a replica follows one that cannot be read',
      { db1: writes, db2: gone, db3: follows('db2') },
      doubted,
      'hold no-writer',
      /^db1 can be written, but db3 follows db2: /,
    ],
    [
      'is not written while a replica follows a stranger',
      { db1: writes, db2: follows('db1'), db3: read({ channels: [stranger] }) },
      doubted,
      'hold no-writer',
      /db3 follows 192\.0\.2\.7 port 3306/,
    ],
    [
      'is not written while one that failed calls itself primary, too',
      { db1: writes, db2: failedRow(writes) },
      { incumbent: unconfirmed('db1', ['db2']) },
      'hold two-writers',
      /^db1 and db2 can be written and follow nobody/,
    ],
    [
      'is followed through a relay',
      { db1: writes, db2: follows('db1'), db3: follows('db2') },
      doubted,
      'db1',
    ],
    [
      'is written beside one that failed, where the others follow it',
      { db1: writes, db2: failedRow(writes), db3: follows('db1') },
      doubted,
      'db1',
    ],
    [
      'is written at once where a person just named it',
      { db1: writes, db2: gone, db3: gone },
      { incumbent: named('db1') },
      'db1',
    ],
    [
      'stays nobody while it cannot be checked and a replica follows another one',
      { db1: closed, db2: gone, db3: follows('db2') },
      doubted,
      'hold no-writer',
      /^db1 cannot be checked, and db3 follows db2/,
    ],
    [
      'gives way to the one that all others follow: the host came back after a power cut',
      { db1: writes, ...moved },
      doubted,
      'db2, adopted, db1 fenced',
    ],
    [
      'does not give way where the option says hold',
      { db1: writes, ...moved },
      { ...doubted, ...hold },
      'hold two-writers',
    ],
    [
      'does not give way under MAINTENANCE',
      { db1: writes, ...moved },
      { ...doubted, ...maintained },
      'hold two-writers',
    ],
    [
      'does not give way to one that nobody follows',
      { db1: writes, db2: writes },
      doubted,
      'hold two-writers',
    ],
    [
      'does not give way while one follows it',
      { db1: writes, ...moved, db4: follows('db1') },
      doubted,
      'hold two-writers',
    ],
    [
      'does not give way before all were looked at',
      { db1: writes, ...moved, db4: unread },
      doubted,
      'hold two-writers',
    ],
    ['does not give way once it was confirmed', { db1: writes, ...moved }, {}, 'hold two-writers'],
    [
      'does not give way where a person just named it',
      { db1: writes, ...moved },
      { incumbent: named('db1') },
      'hold two-writers',
    ],
  ])('%s', (_name, rows, more, writer, reason = /^/) => {
    const found = assess(rows, more)
    expect(shown(found, more?.incumbent ?? confirmed)).toBe(writer)
    expect(found.writer.reason ?? '').toMatch(reason)
  })

  it('has to be confirmed anew once it was not reached for as long as fences it', () => {
    const of = (row: Row): boolean => assess({ db1: row, ...replicas }).incumbent.isConfirmed
    expect(of({ ...lost(writes), failures: 2 })).toBe(true)
    expect(of({ ...lost(writes), failures: 3 })).toBe(false)
    expect(of(failedRow(lost(writes)))).toBe(false)
    expect(of(failedRow(writes))).toBe(true)
    expect(of(closed)).toBe(true)
  })

  it('remembers then who had failed before it', () => {
    const rows = { db1: failedRow(lost(writes)), db2: failedRow(gone), db3: follows('db1') }
    const { incumbent } = assess(rows)
    expect(incumbent.absent).toEqual(['db2'])
    expect(assess(rows, { incumbent }).incumbent.absent).toEqual(['db2'])
  })
})

describe('two servers that can be written', () => {
  it.each<Case>([
    [
      'are written by nobody',
      { db1: writes, db2: writes, db3: follows('db1') },
      {},
      'hold two-writers',
      /^db1 and db2 can be written and follow nobody: make all but one of them replicas or read-only, or shun them$/,
    ],
    [
      'are one where the other is shunned',
      { db1: writes, db2: shunned(writes), db3: follows('db1') },
      {},
      'db1',
    ],
    [
      'are one where the other has failed',
      { db1: writes, db2: failedRow(writes), db3: follows('db1') },
      {},
      'db1',
    ],
    [
      'are the one to which more than half lead, where it took the place of the other behind a cut link',
      replaced,
      {},
      'db2, adopted, db1 fenced',
    ],
    ['are that one also after a restart', replaced, doubted, 'db2, adopted, db1 fenced'],
    ['are left alone under MAINTENANCE', replaced, maintained, 'db1'],
    ['are left alone where changes from outside are held', replaced, hold, 'db1'],
    ['are the one that a person names', replaced, { incumbent: named('db1') }, 'db1'],
    [
      'are the former one while only half lead to the other',
      { db1: writes, db2: failedRow(writes) },
      {},
      'db1',
    ],
    [
      'are the former one while the third, which follows the other, is shunned',
      { ...replaced, db3: shunned(follows('db2')) },
      {},
      'db1',
    ],
    ['are the former one while somebody follows it', { ...replaced, db4: follows('db1') }, {}, 'db1'],
    [
      'are nobody where neither is the primary',
      { db1: gone, db2: writes, db3: writes },
      {},
      'hold two-writers',
    ],
    [
      'are awaited where both failed',
      { db1: failedRow(writes), db2: failedRow(writes) },
      {},
      'hold two-writers',
      /db1 is FAILED$/,
    ],
    [
      'are three at most words',
      { db1: writes, db2: writes, db3: writes },
      {},
      'hold two-writers',
      /^db1, db2 and db3 can/,
    ],
  ])('%s', (_name, rows, more, writer, reason = /^/) => {
    const found = assess(rows, more)
    expect(shown(found, confirmed)).toBe(writer)
    expect(found.writer.reason ?? '').toMatch(reason)
  })

  it('are not settled by the end of one of them, while nobody follows the other', () => {
    const both = assess({ db1: writes, db2: writes })
    expect(both.incumbent.isContested).toBe(true)
    const { incumbent } = both
    const rows = { db1: failedRow(lost(writes)), db2: writes }
    expect(shown(assess(rows, { incumbent }), incumbent)).toBe('hold no-writer')
    expect(shown(assess({ ...rows, db3: follows('db2') }, { incumbent }), incumbent)).toBe('db2, adopted')
    expect(assess({ db1: writes, db2: follows('db1') }, { incumbent }).incumbent.isContested).toBe(false)
  })
})

describe('a primary that somebody changed by other means', () => {
  const cut = failedRow(lost(writes))
  it.each<Case>([
    ['is followed once the former one failed', { db1: cut, ...moved }, {}, 'db2, adopted'],
    ['is followed once the former one is out', { db1: shunned(writes), ...moved }, {}, 'db2, adopted'],
    ['is followed once the former one is read-only', { db1: idle, ...moved }, {}, 'db2, adopted'],
    ['is followed once the former one follows it', { db1: follows('db2'), ...moved }, {}, 'db2, adopted'],
    ['is followed by one that has no other', { db1: cut, db2: writes }, {}, 'db2, adopted'],
    ['is followed through a relay', { db1: cut, ...moved, db4: follows('db3') }, {}, 'db2, adopted'],
    [
      'is followed by one whose word does not count: it failed and follows nobody',
      { db1: cut, ...moved, db4: failedRow(idle) },
      {},
      'db2, adopted',
    ],
    [
      'is followed without those who are out',
      { db1: cut, ...moved, db4: shunned(follows('db1')) },
      {},
      'db2, adopted',
    ],
    [
      'is followed where the map names a server that is a replica',
      { db1: follows('db2'), ...moved },
      { incumbent: named('db1') },
      'db2, adopted',
    ],
    [
      'is awaited while the former one may still be there',
      { db1: lost(writes), ...moved },
      {},
      'hold no-writer',
      /^db2 can be written and follows nobody, but db1 is not known to be no primary any more$/,
    ],
    ['is awaited while the former one cannot be checked', { db1: closed, ...moved }, {}, 'hold no-writer'],
    [
      'is awaited while one does not follow it',
      { db1: cut, ...moved, db4: follows('db1') },
      {},
      'hold no-writer',
      /but db4 does not follow it$/,
    ],
    [
      'is awaited while the former one follows somebody else',
      { db1: read({ channels: [stranger] }), ...moved },
      {},
      'hold no-writer',
      /but db1 does not follow it$/,
    ],
    [
      'is awaited until all were looked at',
      { db1: cut, ...moved, db4: unread },
      {},
      'hold no-writer',
      /not all data sources are checked yet$/,
    ],
    [
      'is awaited where the option says so',
      { db1: cut, ...moved },
      hold,
      'hold no-writer',
      /on-outside-change is hold: name it as the primary with tapi map/,
    ],
    ['is awaited under MAINTENANCE', { db1: cut, ...moved }, maintained, 'hold no-writer', /MAINTENANCE/],
    ['is followed under MANUAL', { db1: cut, ...moved }, { policy: 'MANUAL' }, 'db2, adopted'],
  ])('%s', (_name, rows, more, writer, reason = /^/) => {
    const found = assess(rows, more)
    expect(shown(found, more?.incumbent ?? confirmed)).toBe(writer)
    expect(found.writer.reason ?? '').toMatch(reason)
    if (found.incumbent.name === 'db2') expect(found.incumbent.isConfirmed).toBe(true)
  })
})

/** Role, result and code of one data source. */
const of = (name: Name, found: ServiceAssessment): string => {
  const { role, finding } = found.members.get(name) ?? { role: 'none', finding: null }
  return [role, finding?.result ?? 'unread', finding?.code ?? ''].join(' ').trim()
}
const reason = (name: Name, found: ServiceAssessment) => found.members.get(name)?.finding?.reason

describe('a data source as its server is', () => {
  it('is what the map means before the first check, and last seen as while it is not reached', () => {
    expect(of('db1', assess({ db1: unread, db2: unread }))).toBe('primary unread')
    expect(of('db2', assess({ db1: unread, db2: unread }))).toBe('replica unread')
    const turned = assess({ db1: lost(follows('db2')), db2: lost(writes) })
    expect([of('db1', turned), of('db2', turned)]).toEqual(['replica failed', 'primary failed'])
  })

  it('is no primary any more once it is not reached and another one took its place', () => {
    const named = { incumbent: { ...confirmed, name: 'db2' } }
    const replaced = assess({ db1: lost(writes), db2: writes, db3: follows('db2') }, named)
    expect([of('db1', replaced), of('db2', replaced)]).toEqual(['replica failed', 'primary passed'])
    const all = assess({ db1: lost(writes), db2: lost(writes), db3: lost(follows('db2')) }, named)
    expect([of('db1', all), of('db2', all)]).toEqual(['replica failed', 'primary failed'])
  })

  it('is a primary where it can be written and follows nobody, and a replica where it follows', () => {
    const found = assess({ db1: follows('db2'), db2: writes, db3: follows('db2') })
    expect([of('db1', found), of('db2', found), of('db3', found)]).toEqual([
      'replica passed read-only-primary',
      'primary passed',
      'replica passed',
    ])
    expect(reason('db1', found)).toBe(
      'The services map names it as the primary, but that is db2. Correct the map with tapi map.',
    )
  })

  it.each(['relay', 'standby', 'archive'] as const)(
    'is a %s where the map says so and it follows',
    (role) => {
      expect(of('db2', assess({ db1: writes, db2: { ...follows('db1'), role } }))).toBe(`${role} passed`)
    },
  )

  it('as a witness is only reached', () => {
    const rows = {
      db1: writes,
      db2: { ...writes, role: 'witness' },
      db3: { ...idle, role: 'witness' },
    } as const
    const found = assess(rows, doubted)
    expect([of('db2', found), of('db3', found)]).toEqual(['witness passed', 'witness passed'])
    expect(found.writer.datasource).toBe('db1')
    expect(of('db2', assess({ db1: writes, db2: { ...gone, role: 'witness' } }))).toBe('witness failed')
  })

  it('must be reached, and is not judged by our login', () => {
    const found = assess({ db1: lost(writes), db2: closed })
    expect([of('db1', found), of('db2', found)]).toEqual(['primary failed', 'replica unable'])
    expect(reason('db1', found)).toContain('nothing listens there')
    expect(reason('db2', found)).toMatch(
      /^It cannot be checked\. .* Check monitor-user and monitor-password\.$/,
    )
  })
})

describe('not-replicating', () => {
  it.each(['replica', 'relay', 'standby', 'archive'] as const)('is a %s that follows nobody', (role) => {
    const found = assess({ db1: writes, db2: { ...idle, role } })
    expect(of('db2', found)).toBe(`${role} failed not-replicating`)
    expect(reason('db2', found)).toBe(
      `It is a ${role} by the services map, but does not replicate. Set up its replication.`,
    )
  })

  it('is a former primary that follows nobody', () => {
    const found = assess({ db1: idle, db2: writes, db3: follows('db2') })
    expect(of('db1', found)).toBe('replica failed not-replicating')
    expect(reason('db1', found)).toContain('the primary is db2')
  })

  it('tells a stopped thread with and without an error, and of which channel', () => {
    const stopped = (more: Partial<Channel>) => {
      const found = assess({ db1: writes, db2: follows('db1', more) })
      expect(of('db2', found)).toBe('replica failed not-replicating')
      return reason('db2', found)
    }
    expect(stopped({ receiver: 'stopped' })).toBe('The receiver is stopped.')
    const fatal = { receiver: 'stopped', receiverError: { number: 1236, message: 'no such log.' } } as const
    expect(stopped(fatal)).toBe('The receiver is stopped. ERROR 1236: no such log.')
    const applierError = { number: 1062, message: "Duplicate entry '7' for key 'PRIMARY'" }
    expect(stopped({ applier: 'stopped', applierError })).toBe(
      "The applier is stopped. ERROR 1062: Duplicate entry '7' for key 'PRIMARY'.",
    )
    const channels = [
      from('db1'),
      from('db1', { name: 'east', ...fatal }),
      from('db1', { name: 'west', applier: 'stopped' }),
    ]
    expect(reason('db2', assess({ db1: writes, db2: read({ channels }) }))).toBe(
      'Channel east: The receiver is stopped. ERROR 1236: no such log. Channel west: The applier is stopped.',
    )
  })

  it('is not one that is late, or misses its primary', () => {
    expect(of('db2', assess({ db1: writes, db2: follows('db1', { secondsBehind: 1e6 }) }))).toBe(
      'replica passed',
    )
    const unreachable = { number: 2003, message: "error connecting to master 'repl@10.0.0.1:3306'" }
    const found = assess({
      db1: writes,
      db2: follows('db1', { receiver: 'connecting', receiverError: unreachable }),
      db3: follows('db1', { receiver: 'connecting' }),
    })
    expect([of('db2', found), of('db3', found), reason('db3', found)]).toEqual([
      'replica passed',
      'replica passed',
      null,
    ])
    expect(reason('db2', found)).toMatch(
      /^The receiver cannot connect to the primary, and tries again\. ERROR 2003/,
    )
  })
})

describe('follows-other and unknown-server', () => {
  const other = 'replica failed follows-other'
  const unknown = 'replica failed unknown-server'
  const well = 'replica passed'
  const alias = { host: 'db1.internal', port: 3306 }
  it.each<readonly [string, Sight, Parameters<typeof assess>[0], string]>([
    ['a replica of another one that follows nobody', follows('db3'), { db3: idle }, other],
    ['a replica of a replica', follows('db3'), { db3: follows('db1') }, other],
    ['a replica of a relay', follows('db3'), { db3: { ...follows('db1'), role: 'relay' } }, well],
    [
      'a replica of a relay that cannot be reached now',
      follows('db3'),
      { db3: { ...lost(follows('db1')), role: 'relay' } },
      well,
    ],
    ['a replica of one that was never read', follows('db3'), { db3: gone }, well],
    ['two replicas of each other', follows('db3'), { db3: follows('db2') }, other],
    ['the primary at another address', follows('db1', { source: alias }), {}, well],
    [
      'the primary by address before the first connection',
      follows('db1', { sourceId: null, receiver: 'connecting' }),
      {},
      well,
    ],
    ['a replica of a stranger', read({ channels: [stranger] }), {}, unknown],
    ['a replica of a stranger while one was never read', read({ channels: [stranger] }), { db3: gone }, well],
    ['a stranger at the address of the primary', follows('db1', { sourceId: 77 }), {}, unknown],
    ['a replica of the primary and of a stranger', read({ channels: [stranger, from('db1')] }), {}, well],
    [
      'a replica of another one and of a stranger',
      read({ channels: [stranger, from('db3')] }),
      { db3: idle },
      other,
    ],
    [
      'an old number of a channel that does not connect any more',
      follows('db3', { sourceId: 1, receiver: 'connecting' }),
      { db3: idle },
      other,
    ],
  ])('know %s', (_name, db2, rows, expected) => {
    expect(of('db2', assess({ db1: writes, db2, ...rows }))).toBe(expected)
  })

  it('name the servers', () => {
    expect(reason('db2', assess({ db1: writes, db2: follows('db3'), db3: idle }))).toBe(
      'It follows db3, not the primary db1. Let it follow db1.',
    )
    const hostile = from('db1', {
      source: { host: `\u001b[31m${'x'.repeat(500)}`, port: 3306 },
      sourceId: 77,
    })
    const words = reason('db2', assess({ db1: writes, db2: read({ channels: [hostile] }) })) ?? ''
    expect(words).toMatch(/^It follows \\x1b\[31mx+ port 3306, which is none of the service's data sources\./)
    expect(words.length).toBeLessThan(400)
  })

  it('say nothing of whom replicas follow while nobody is written', () => {
    const found = assess({ db1: lost(writes), db2: follows('db3'), db3: idle })
    expect(of('db2', found)).toBe(well)
  })

  it('go by the address where two servers have one number', () => {
    const twin = read({ isWritable: false, serverId: 1 })
    expect(of('db2', assess({ db1: writes, db2: follows('db1'), db3: twin }))).toBe(well)
  })
})

describe('read-only-primary, writable-replica, errant-transactions and partial-replica', () => {
  it('read-only-primary is a writer that takes no writes, and fences it', () => {
    const found = assess({ db1: idle, ...replicas })
    expect(of('db1', found)).toBe('primary failed read-only-primary')
    expect(reason('db1', found)).toBe('It is read-only, so nobody can write. Set read_only to OFF on it.')
  })

  it('writable-replica is no failure', () => {
    const found = assess({ db1: writes, db2: read({ isWritable: true, channels: [from('db1')] }) })
    expect(of('db2', found)).toBe('replica passed writable-replica')
    expect(reason('db2', found)).toBe(
      'It can be written, although it is a replica. Set read_only to ON on it.',
    )
    expect(found.writer.datasource).toBe('db1')
  })

  const mariadb = (written: string, replicated = '') => ({ gtids: readMariadbGtids(written, replicated) })
  const with2 = (primary: Partial<ServerReading>, replica: Partial<ServerReading>) =>
    assess({
      db1: read({ isWritable: true, ...primary }),
      db2: read({ channels: [from('db1')], ...replica }),
    })

  it('errant-transactions names what the writer does not have, and fences nobody', () => {
    const found = with2(mariadb('0-1-40'), mariadb('0-1-35,0-2-36', '0-1-35'))
    expect(of('db2', found)).toBe('replica passed errant-transactions')
    expect(reason('db2', found)).toBe('It has transactions that db1 does not have: 0-2-36.')
  })

  it('are named of a former primary that follows nobody', () => {
    const found = assess({
      db1: read(mariadb('0-1-40')),
      db2: read({ isWritable: true, ...mariadb('0-1-39,0-2-45') }),
      db3: follows('db2'),
    })
    expect(of('db1', found)).toBe('replica failed not-replicating')
    expect(reason('db1', found)).toBe(
      'It does not replicate. It has transactions that db2 does not have: 0-1-40. ' +
        'Compare them, then make it anew from a backup of db2 (muster provision db1).',
    )
  })

  it.each([
    ['what the writer wrote since its check', mariadb('0-1-40'), mariadb('0-1-45', '0-1-45')],
    [
      'a past that the writer replicated',
      mariadb('0-1-40', '0-3-30'),
      mariadb('0-1-40,0-2-20,0-3-30', '0-1-40'),
    ],
    ['a server that tells no GTIDs', { gtids: null }, mariadb('0-2-36')],
  ])('are not seen in %s', (_name, primary, replica) => {
    expect(of('db2', with2(primary, replica))).toBe('replica passed')
  })

  it('are seen by the uuid of MySQL', () => {
    const [one, two] = ['3e11fa47-71ca-11e1-9e33-c80aa9429562', '73f86016-978b-11ee-ade5-8d2a2a562feb']
    const gtids = (text: string) => ({ gtids: readMysqlGtids(text) })
    const primary = { uuid: one, ...gtids(`${one}:1-9`) }
    expect(of('db2', with2(primary, gtids(`${one}:1-12,${one}:tag:1-3`)))).toBe('replica passed')
    const found = with2(primary, gtids(`${one}:1-9,${two}:1-2`))
    expect(reason('db2', found)).toBe(`It has transactions that db1 does not have: ${two}:1-2.`)
  })

  it('partial-replica names settings by which a replica lacks changes, and fences nobody', () => {
    const omissions = [
      { reason: 'filter', setting: 'Replicate_Ignore_Table = shop.orders' },
      { reason: 'idempotent', setting: 'slave_exec_mode = IDEMPOTENT' },
    ] as const
    const found = with2({ omissions }, { omissions })
    expect([of('db1', found), of('db2', found)]).toEqual(['primary passed', 'replica passed partial-replica'])
    expect(reason('db2', found)).toBe(
      'It may lack changes of the primary: Replicate_Ignore_Table = shop.orders, slave_exec_mode = IDEMPOTENT. ' +
        'A switch to it is refused.',
    )
  })

  it('partial-replica names what the binary log of the primary leaves out, and keeps nobody from writing', () => {
    const omissions = [
      { reason: 'binary-log-filter', setting: 'Binlog_Ignore_DB = shop' },
      { reason: 'idempotent', setting: 'slave_exec_mode = IDEMPOTENT' },
    ] as const
    const found = with2({ omissions }, {})
    expect([of('db1', found), of('db2', found)]).toEqual(['primary passed partial-replica', 'replica passed'])
    expect(reason('db1', found)).toBe(
      'It leaves changes out of its binary log, so that its replicas lack them: Binlog_Ignore_DB = shop. ' +
        'A switch from it is refused.',
    )
    expect(found.writer).toMatchObject({ datasource: 'db1', code: null })
  })

  it('are told together with the cause', () => {
    const found = with2(mariadb('0-1-40'), { ...mariadb('0-2-36'), isWritable: true })
    expect(of('db2', found)).toBe('replica passed errant-transactions')
    expect(reason('db2', found)).toContain('0-2-36. It can be written, although it is a replica.')
  })
})

describe('two-writers and no-writer', () => {
  it('say of a former primary whose commits wait that only a crash brings it back', () => {
    const former = failedRow(read({ isWritable: true, waitingCommits: 3 }))
    const found = assess({ db1: writes, db2: former, db3: follows('db1') })
    expect(of('db2', found)).toBe('primary failed two-writers')
    expect(reason('db2', found)).toBe(
      'db1 took its place, and commits wait here for a replica: 3. Kill its server (SIGKILL) and start it, so that it ' +
        'removes them; a proper stop would make them its own transactions.',
    )
    const onMysql = failedRow(read({ isWritable: true, waitingCommits: 3, version: '9.7.0' }))
    expect(reason('db2', assess({ db1: writes, db2: onMysql, db3: follows('db1') }))).toMatch(
      /start it, since nothing else ends that; it keeps them as its own transactions where no replica received them\.$/,
    )
  })

  it('change no state by themselves while both are ONLINE', () => {
    const found = assess({ db1: writes, db2: writes, db3: follows('db1') })
    expect([of('db1', found), of('db2', found), of('db3', found)]).toEqual([
      'primary passed two-writers',
      'primary passed two-writers',
      'replica passed',
    ])
    expect(reason('db2', found)).toBe(
      'It can be written and follows nobody, as db1 does. Make it a replica, or shun the other.',
    )
  })

  it.each([
    [
      'one that came back beside the writer',
      { db1: writes, db2: failedRow(writes) },
      'db2',
      'failed two-writers',
    ],
    [
      'one that is offline beside the writer',
      { db1: writes, db2: offline(writes) },
      'db2',
      'failed two-writers',
    ],
    [
      'one that is shunned beside the writer',
      { db1: writes, db2: shunned(writes) },
      'db2',
      'failed two-writers',
    ],
    [
      'the writer beside one that is shunned',
      { db1: failedRow(writes), db2: shunned(writes) },
      'db1',
      'passed',
    ],
    ['the writer that came back', { db1: failedRow(writes), ...replicas }, 'db1', 'passed'],
    [
      'either of two that failed',
      { db1: failedRow(writes), db2: failedRow(writes) },
      'db1',
      'failed two-writers',
    ],
    [
      'the other of two that failed',
      { db1: failedRow(writes), db2: failedRow(writes) },
      'db2',
      'failed two-writers',
    ],
    [
      'one that came back while the primary is down',
      { db1: failedRow(gone), db2: failedRow(writes) },
      'db2',
      'failed two-writers',
    ],
    [
      'one that all others follow while the primary is down',
      { db1: failedRow(gone), db2: failedRow(writes), db3: follows('db2') },
      'db2',
      'passed',
    ],
    [
      'one that all others follow, beside one that nobody follows',
      { db1: failedRow(writes), db2: failedRow(writes), db3: follows('db2') },
      'db2',
      'passed',
    ],
    [
      'one that came back while somebody keeps the primary out',
      { db1: shunned(writes), db2: failedRow(writes) },
      'db2',
      'passed',
    ],
  ] as const)('of %s', (_name, rows, name, expected) => {
    expect(of(name, assess(rows))).toBe(`primary ${expected}`)
  })

  it('tell of one that is not the primary yet', () => {
    const found = assess({ db1: lost(writes), ...moved })
    expect(of('db2', found)).toBe('primary passed no-writer')
    expect(reason('db2', found)).toBe('It can be written and follows nobody, but the primary is db1.')
  })

  it('tell of a primary that follows another server', () => {
    const found = assess({ db1: follows('db2'), db2: follows('db1') })
    expect(of('db1', found)).toBe('replica passed no-writer')
  })
})

describe('max-replica-lag', () => {
  it('takes reads from a replica that is further behind, and from no other', () => {
    const rows = {
      db1: writes,
      db2: follows('db1', { secondsBehind: 31 }),
      db3: follows('db1', { secondsBehind: 30 }),
      db4: follows('db1', { secondsBehind: null }),
    }
    const late = (maxReplicaLag: number | null) => {
      const { members } = assess(rows, { maxReplicaLag })
      return [...members].filter(([, { isLate }]) => isLate).map(([name]) => name)
    }
    expect(late(null)).toEqual([])
    expect(late(30_000)).toEqual(['db2'])
    expect(of('db2', assess(rows, { maxReplicaLag: 30_000 }))).toBe('replica passed')
    expect(reason('db2', assess(rows, { maxReplicaLag: 30_000 }))).toContain('max-replica-lag')
  })

  it('is 30 s for a word about a replica where it is not set, which takes reads', () => {
    const found = (secondsBehind: number, maxReplicaLag: number | null) =>
      reason('db2', assess({ db1: writes, db2: follows('db1', { secondsBehind }) }, { maxReplicaLag }))
    expect(found(31, null)).toBe('It is more than 30 s behind.')
    expect(found(30, null)).toBeNull()
    expect(found(31, 60_000)).toBeNull()
  })

  it('leads no readers to a replica that cannot reach the primary and lacks what that wrote since', () => {
    const wrote = (log: string) => ({ gtids: readMariadbGtids(log) })
    const broken = { receiver: 'connecting', receiverError: { number: 2003, message: 'no' } } as const
    const has = (log: string, channel: Partial<Channel>) =>
      read({ channels: [from('db1', { secondsBehind: null, ...channel })], ...wrote(log) })
    const rows = {
      db1: read({ isWritable: true, ...wrote('0-1-9') }),
      db2: has('0-1-8', broken),
      db3: has('0-1-9', broken),
      db4: has('0-1-8', {}),
      db5: has('0-1-8', { receiver: 'connecting' }),
    }
    const late = (more: Parameters<typeof assess>[1], given: Parameters<typeof assess>[0] = rows) =>
      [...assess(given, more).members].filter(([, { isLate }]) => isLate).map(([name]) => name)
    expect(late({ maxReplicaLag: 30_000 })).toEqual(['db2'])
    expect(late({ maxReplicaLag: null })).toEqual([])
    // While nobody can write they are as good as any.
    expect(late({ maxReplicaLag: 30_000 }, { ...rows, db1: gone })).toEqual([])
  })
})

describe('a service after a switch whose time ran out', () => {
  const open = (mayBePromoted: boolean): OpenSwitch => ({
    from: 'db1',
    to: 'db2',
    isInForce: false,
    mayBePromoted,
  })
  const written = (rows: Parameters<typeof assess>[0], mayBePromoted: boolean, incumbent = fresh) =>
    assess(rows, { incumbent, openSwitch: open(mayBePromoted) }).writer.datasource

  it('is written at the target once the old primary takes no writes, before anybody else follows', () => {
    const rows = { db1: idle, db2: writes, db3: follows('db1') }
    expect(assess(rows, { incumbent: fresh }).writer.datasource).toBeNull()
    for (const may of [false, true]) {
      expect(written(rows, may)).toBe('db2')
      expect(written({ ...rows, db1: follows('db2') }, may)).toBe('db2')
      expect(written({ ...rows, db1: shunned(writes) }, may)).toBe('db2')
    }
  })

  it('is not asked for a policy or an option about that', () => {
    const rows = { db1: idle, db2: writes, db3: follows('db1') }
    const more = { incumbent: fresh, openSwitch: open(true) }
    expect(assess(rows, { ...more, policy: 'MAINTENANCE' }).writer.datasource).toBe('db2')
    expect(assess(rows, { ...more, onOutsideChange: 'hold' }).writer.datasource).toBe('db2')
  })

  it('has no writer while two claim it, one is not looked at, or the old one may take writes', () => {
    for (const may of [false, true]) {
      expect(written({ db1: writes, db2: writes, db3: follows('db1') }, may)).toBeNull()
      expect(written({ db1: failedRow(writes), db2: writes, db3: follows('db1') }, may)).toBeNull()
      expect(written({ db1: idle, db2: writes, db3: writes }, may)).toBeNull()
      expect(written({ db1: idle, db2: writes, db3: failedRow(writes) }, may)).toBeNull()
      expect(written({ db1: idle, db2: writes, db3: unread }, may)).toBeNull()
      expect(written({ db1: idle, db2: follows('db1'), db3: follows('db1') }, may)).toBeNull()
      expect(written({ db1: closed, db2: writes, db3: follows('db1') }, may)).toBeNull()
    }
    const dead = { ...lost(idle), state: 'FAILED' as const }
    expect(written({ db1: dead, db2: writes, db3: follows('db1') }, false)).toBeNull()
    expect(written({ db1: dead, db2: writes, db3: follows('db1') }, true)).toBe('db2')
    expect(written({ db1: { ...dead, state: 'ONLINE' }, db2: writes, db3: follows('db1') }, true)).toBeNull()
  })

  it('goes back to the old primary unless the target may be one that nobody sees', () => {
    const back = { db1: writes, db2: follows('db1'), db3: follows('db1') }
    expect([written(back, false), written(back, true)]).toEqual(['db1', 'db1'])
    const blind = { ...back, db2: gone }
    expect([written(blind, false), written(blind, true)]).toEqual(['db1', null])
    expect(assess(blind, { incumbent: fresh, openSwitch: open(true) }).writer).toMatchObject({
      code: null,
      reason: expect.stringContaining('db2 cannot be checked'),
      hold: true,
    })
    expect(written({ ...blind, db2: shunned(gone) }, true)).toBe('db1')
    expect(written(blind, true, named('db1'))).toBe('db1')
    expect([written({ ...blind, db1: closed }, false), written({ ...blind, db1: closed }, true)]).toEqual([
      'db1',
      null,
    ])
  })

  it('lets a target come back that failed when its replication was stopped', () => {
    const finding = (more: { readonly openSwitch?: OpenSwitch }) =>
      assess(
        { db1: idle, db2: failedRow(writes), db3: follows('db1') },
        { incumbent: fresh, ...more },
      ).members.get('db2')?.finding?.result
    expect(finding({})).toBe('failed')
    expect(finding({ openSwitch: open(true) })).toBe('passed')
  })
})

describe('the data source that a server follows', () => {
  const followed = (...given: Parameters<typeof assess>): readonly (string | null)[] =>
    [...assess(...given).members.values()].map((it) => it.follows)

  it('is the member that its channel comes from, a relay too', () => {
    expect(followed({ db1: writes, db2: follows('db1'), db3: follows('db2') })).toEqual([null, 'db1', 'db2'])
  })

  it('is null for one that follows nobody or a server outside the service, and before the first check', () => {
    const db3 = read({ channels: [stranger] })
    expect(followed({ db1: writes, db2: idle, db3, db4: unread })).toEqual([null, null, null, null])
  })

  it('stays as the last check that reached the server saw it', () => {
    expect(followed({ db1: writes, db2: lost(follows('db1')) })).toEqual([null, 'db1'])
  })

  it('is the member among several channels', () => {
    expect(followed({ db1: writes, db2: read({ channels: [stranger, from('db1')] }) })).toEqual([null, 'db1'])
  })
})

/** A source of semi-synchronous replication that waits for replicas and has none. */
const waitsInVain = (gtids: string, waitingCommits = 0): Sight =>
  read({ isWritable: true, ackGaps: [], ackers: 0, gtids: readMariadbGtids(gtids), waitingCommits })
/** The last one of a service, which waits for nobody. */
const last = (gtids: string): Sight => read({ isWritable: true, gtids: readMariadbGtids(gtids) })

describe('a primary that was cut off while the only other server took its place', () => {
  const inVain = waitsInVain('0-1-37', 2)
  const writerOf = (
    rows: Parameters<typeof assess>[0],
    more: Parameters<typeof assess>[1] = {},
  ): Pick<ServiceAssessment, 'fence'> & { readonly datasource: string | null } => {
    const { writer, fence } = assess(rows, more)
    return { datasource: writer.datasource, fence }
  }
  const heir = { datasource: 'db2', fence: 'db1' }

  it('gives way to it, since it told no client of what only it has', () => {
    expect(writerOf({ db1: inVain, db2: last('0-1-35,0-2-40') })).toEqual(heir)
    expect(writerOf({ db1: inVain, db2: { ...last('0-1-35,0-2-40'), state: 'FAILED' } })).toEqual(heir)
  })

  it.each<readonly [string, Sight, Sight, Parameters<typeof assess>[1]]>([
    ['it told more than the other one has', waitsInVain('0-1-37', 1), last('0-1-35,0-2-40'), {}],
    ['it waits for nobody', last('0-1-35'), last('0-1-35,0-2-40'), {}],
    ['the other one waits in vain, too', inVain, waitsInVain('0-1-35,0-2-40'), {}],
    ['a person just named it', inVain, last('0-1-35,0-2-40'), { incumbent: named('db1') }],
    ['the option says hold', inVain, last('0-1-35,0-2-40'), { onOutsideChange: 'hold' }],
  ])('does not give way where %s', (_what, db1, db2, more) => {
    expect(writerOf({ db1, db2 }, more)).toEqual({ datasource: null, fence: null })
  })

  it('does not give way while a replica follows it', () => {
    expect(writerOf({ db1: inVain, db2: last('0-1-35,0-2-40'), db3: follows('db1') }).fence).toBeNull()
  })

  it('does not keep the new one from clients once it was fenced', () => {
    const fenced = { ...inVain, state: 'FAILED' } as const
    const incumbent = { ...confirmed, name: 'db2' }
    const of = (db1: Row): string | undefined =>
      assess({ db1, db2: { ...last('0-1-35,0-2-40'), state: 'FAILED' } }, { incumbent }).members.get('db2')
        ?.finding?.result
    expect(of(fenced)).toBe('passed')
    expect(of({ ...last('0-1-37'), state: 'FAILED' })).toBe('failed')
  })
})

describe('a server that nobody follows and that can be written, while the primary is back read-only,', () => {
  const back = (gtids: string) => read({ gtids: readMariadbGtids(gtids) })

  it('is no primary where it waits for replicas in vain, and lacks what that one had', () => {
    const inVain = waitsInVain('0-1-35')
    const { writer } = assess({ db1: back('0-1-37'), db2: inVain }, { incumbent: fresh })
    expect(writer).toMatchObject({
      datasource: null,
      reason:
        'db2 can be written and follows nobody, but it waits for replicas, and lacks what db1 has: 2 transactions',
    })
    const away = { look: refusing, known: back('0-1-37').known, state: 'FAILED' } as const
    expect(assess({ db1: away, db2: inVain }, { incumbent: fresh }).writer.datasource).toBeNull()
  })

  it('is the primary where it tells clients of commits, has all of that, or others follow it', () => {
    const of = (rows: Parameters<typeof assess>[0]) => assess(rows, { incumbent: fresh }).writer.datasource
    expect(of({ db1: back('0-1-37'), db2: last('0-1-35') })).toBe('db2')
    expect(of({ db1: back('0-1-35'), db2: waitsInVain('0-1-35,0-2-40') })).toBe('db2')
    expect(of({ db1: back('0-1-37'), db2: waitsInVain('0-1-35'), db3: follows('db2') })).toBe('db2')
  })

  it('comes back where this manager had missed it, too', () => {
    const of = (rows: Parameters<typeof assess>[0]) =>
      assess(rows, { incumbent: fresh }).members.get('db2')?.finding?.result
    const missed = { ...last('0-1-35,0-2-40'), state: 'FAILED' } as const
    expect(of({ db1: back('0-1-35'), db2: missed })).toBe('passed')
    expect(of({ db1: back('0-1-35'), db2: missed, db3: follows('db1') })).toBe('failed')
  })
})
