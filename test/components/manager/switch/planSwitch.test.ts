import { describe, expect, it } from 'vitest'
import { readMariadbGtids } from '../../../../src/components/databases/gtidSet.ts'
import {
  type PlanFacts,
  planSwitch,
  type SwitchMember,
} from '../../../../src/components/manager/switch/planSwitch.ts'
import { following, gone, member } from './planMembers.ts'

const facts = (members: readonly SwitchMember[], more: Partial<PlanFacts> = {}): PlanFacts => ({
  service: 'alpha',
  members,
  writer: { datasource: 'db1', code: null, reason: null, hold: false },
  wanted: 'db2',
  sessions: [],
  limits: { maxLag: 3000, maxTransaction: 5000 },
  accepted: new Set(),
  grants: () => 'GRANT …',
  eventsGrant: "GRANT SUPER ON *.* TO 'replicator'@'%'",
  ...more,
})

const told = (...args: Parameters<typeof facts>): readonly string[] =>
  planSwitch(facts(...args)).refusals.map(({ datasource, reason }) => `${datasource}: ${reason}`)

describe('the plan of a switch', () => {
  it.each([
    ['follows db3', { channels: [{ ...following, source: { host: '10.0.0.3', port: 3306 }, sourceId: 3 }] }],
    ['is read-only', { isWritable: false }],
  ])('is a refusal where the primary, when it is read, %s, which no manager knows yet', (what, change) => {
    const refusals = told([member(1, change), member(2), member(3)])
    expect(refusals).toEqual([expect.stringContaining(`db1: It ${what}, as no primary`)])
  })

  it('names both primaries and who will follow', () => {
    expect(planSwitch(facts([member(1), member(2), member(3)]))).toEqual({
      service: 'alpha',
      from: 'db1',
      loss: null,
      to: 'db2',
      refusals: [],
      followers: ['db1', 'db3'],
      remarks: [],
    })
  })

  it('takes the replica that is the least behind where none is named', () => {
    const late = member(2, { channels: [{ ...following, secondsBehind: 1 }] })
    const members = [member(1), late, member(3)]
    expect(planSwitch(facts(members, { wanted: undefined }))).toMatchObject({ to: 'db3', refusals: [] })
  })

  it('takes a standby only where there is no replica', () => {
    const standby = member(3, {}, { role: 'standby' })
    const late = member(2, { channels: [{ ...following, secondsBehind: 2 }] })
    expect(planSwitch(facts([member(1), late, standby], { wanted: undefined })).to).toBe('db2')
    expect(planSwitch(facts([member(1), standby], { wanted: undefined })).to).toBe('db3')
  })

  it('leaves those alone that follow a relay', () => {
    const relay = member(2, {}, { role: 'relay' })
    const behind = member(3, {
      channels: [{ ...following, source: { host: '10.0.0.2', port: 3306 }, sourceId: 2 }],
    })
    const plan = planSwitch(facts([member(1), relay, behind, member(4)], { wanted: 'db4' }))
    expect(plan).toMatchObject({ refusals: [], followers: ['db1', 'db2'] })
  })

  it('goes on without a replica that is known to be away, and says so', () => {
    const plan = planSwitch(facts([member(1), member(2), member(3, {}, { ...gone, state: 'FAILED' })]))
    expect(plan).toMatchObject({ refusals: [], followers: ['db1'] })
    expect(plan.remarks).toEqual([
      'db3 was not reached: its manager lets it follow db2 when it is back, unless it has transactions of its own.',
    ])
  })
})

describe('a switch is refused', () => {
  it('without a primary, in the words of who knows why', () => {
    const writer = {
      datasource: null,
      code: 'two-writers',
      reason: 'db1 and db2 can be written',
      hold: true,
    } as const
    expect(told([member(1), member(2)], { writer })).toEqual([
      'null: The service has no primary that clients write to: db1 and db2 can be written.',
    ])
  })

  it.each<[string, readonly SwitchMember[], string, string]>([
    [
      'to an unknown name',
      [member(1), member(2)],
      'db9',
      'db9: The service has no data source of that name.',
    ],
    ['to the primary', [member(1), member(2)], 'db1', 'db1: It is the primary already.'],
    [
      'to an archive',
      [member(1), member(2, {}, { role: 'archive' })],
      'db2',
      'db2: Its role in the services map is archive.',
    ],
    [
      'to one that cannot be reached',
      [member(1), member(2, {}, gone)],
      'db2',
      'db2: It cannot be reached: The database is gone.',
    ],
    [
      'to one that is shunned',
      [member(1), member(2, {}, { state: 'SHUNNED' })],
      'db2',
      'db2: It is SHUNNED.',
    ],
    [
      'to one that follows nobody',
      [member(1), member(2, { channels: [] })],
      'db2',
      'db2: It follows nobody.',
    ],
    [
      'to one that follows another server',
      [
        member(1),
        member(2, { channels: [{ ...following, source: { host: '10.9.9.9', port: 3306 }, sourceId: 99 }] }),
      ],
      'db2',
      'db2: It follows 10.9.9.9 port 3306, not db1.',
    ],
    [
      'to one whose replication stopped',
      [member(1), member(2, { channels: [{ ...following, applier: 'stopped' }] })],
      'db2',
      'db2: Its replication does not run.',
    ],
    [
      'to one that is behind',
      [member(1), member(2, { channels: [{ ...following, secondsBehind: 4 }] })],
      'db2',
      'db2: It may be too late: it is 4 s behind; switch-max-lag is 3 s.',
    ],
    [
      'to one of which nobody knows how far it is behind',
      [member(1), member(2, { channels: [{ ...following, secondsBehind: null }] })],
      'db2',
      'db2: It may be too late: how far it is behind is not known; switch-max-lag is 3 s.',
    ],
    [
      'to one that is late on purpose',
      [member(1), member(2, { channels: [{ ...following, delay: 3600 }] })],
      'db2',
      'db2: It applies 3600 s later on purpose.',
    ],
    [
      'to one with transactions of its own',
      [member(1), member(2, { gtids: readMariadbGtids('0-1-35,0-2-36') })],
      'db2',
      'db2: It has transactions that db1 does not have: 0-2-36.',
    ],
    [
      'to one that others could not follow',
      [member(1), member(2, { logsReplicated: false })],
      'db2',
      'db2: It writes no binary log of what it replicates.',
    ],
    [
      'where the primary cannot be reached',
      [member(1, {}, gone), member(2)],
      'db2',
      'db1: It cannot be reached: The database is gone.',
    ],
    [
      'where a replica in use cannot be reached',
      [member(1), member(2), member(3, {}, gone)],
      'db2',
      'db3: It cannot be reached: The database is gone.',
    ],
    [
      'where another server can be written',
      [member(1), member(2), member(3, { isWritable: true, channels: [] })],
      'db2',
      'db3: It can be written and follows nobody, as db1 does: two writers.',
    ],
    [
      'where the account lacks privileges',
      [member(1, { missingPrivileges: ['PROCESS'] }), member(2)],
      'db2',
      'db1: The replication-user lacks privileges there: PROCESS.',
    ],
    [
      'where a server follows several',
      [member(1), member(2), member(3, { channels: [following, { ...following, name: 'other' }] })],
      'db2',
      'db3: It follows several servers, and would lose all but the primary.',
    ],
  ])('%s', (_, members, wanted, refusal) => {
    expect(told(members, { wanted })).toEqual([refusal])
  })

  it('while a statement without a transaction runs for too long, but not where somebody logs in slowly', () => {
    const session = { id: 7, user: 'report', milliseconds: 60_000, isIdle: false, transaction: null }
    const early = { ...session, id: 8, user: 'unauthenticated user' }
    const idle = { ...session, id: 9, isIdle: true }
    expect(told([member(1), member(2)], { sessions: [session, early, idle] })).toEqual([
      'db1: A statement of user report (thread 7) runs for 60 s, longer than switch-max-transaction (5 s).',
    ])
  })

  it('to a server that leaves something out, unless the operator accepts that', () => {
    const omissions = [
      { reason: 'filter', setting: 'Replicate_Do_DB = shop' },
      { reason: 'skipped-errors', setting: 'slave_skip_errors = 1062' },
      { reason: 'idempotent', setting: 'slave_exec_mode = IDEMPOTENT' },
      { reason: 'binary-log-filter', setting: 'Binlog_Ignore_DB = x' },
    ] as const
    const servers = [member(1), member(2, { omissions })]
    const { refusals } = planSwitch(facts(servers))
    expect(refusals.map(({ datasource, reason, fix }) => `${datasource}: ${reason} ${fix}`)).toEqual([
      'db2: Its replication leaves something out: Replicate_Do_DB = shop. Remove the setting, and make it anew from a backup; or accept it with --accept filter.',
      'db2: Its replication skips errors, so it may lack changes: slave_skip_errors = 1062. Switch that off, and compare its data with that of the primary; or accept it with --accept skipped-errors.',
      'db2: Its replication overlooks rows that are missing or there twice: slave_exec_mode = IDEMPOTENT. Set it to STRICT, and compare its data with that of the primary; or accept it with --accept idempotent.',
      'db2: Its binary log leaves something out that servers which follow it would lack: Binlog_Ignore_DB = x. Remove the setting from its configuration, and restart it; or accept it with --accept binary-log-filter.',
    ])
    const accepted = new Set(['filter', 'skipped-errors', 'idempotent', 'binary-log-filter'])
    expect(told(servers, { accepted })).toEqual([])
    // Whom nobody makes the primary may serve reads as it is.
    expect(told([member(1), member(2), member(3, { omissions })])).toEqual([])
  })

  it('from a primary whose binary log leaves something out, or that runs events, unless that is accepted', () => {
    const from = member(1, {
      omissions: [{ reason: 'binary-log-filter', setting: 'Binlog_Do_DB = shop' }],
      runsEvents: true,
    })
    expect(told([from, member(2)])).toEqual([
      'db1: Its event scheduler runs, and the replication-user may not stop it: events of accounts with READ ONLY ADMIN or SUPER would write to it after the switch.',
      'db1: Its binary log leaves something out that servers which follow it would lack: Binlog_Do_DB = shop.',
    ])
    expect(told([from, member(2)], { accepted: new Set(['events', 'binary-log-filter']) })).toEqual([])
    const { refusals } = planSwitch(facts([from, member(2)]))
    expect(refusals[0]?.fix).toMatch(
      /^Run GRANT SUPER ON \*\.\* TO 'replicator'@'%' there, and the switch takes /,
    )
  })

  it('never from a primary that runs events which the switch may stop', () => {
    expect(told([member(1, { runsEvents: true, canStopEvents: true }), member(2)])).toEqual([])
  })

  it('where a third server has transactions of its own, unless a person took it out', () => {
    const errant = { gtids: readMariadbGtids('0-1-35,9-3-2') }
    expect(told([member(1), member(2), member(3, errant)])).toEqual([
      'db3: It has transactions that db1 does not have: 9-3-2.',
    ])
    expect(told([member(1), member(2), member(3, errant, { state: 'SHUNNED' })])).toEqual([])
  })

  it('while an old transaction is open, which it names', () => {
    const old = { id: 12, user: 'batch', milliseconds: 0, isIdle: true, transaction: { id: 'a', seconds: 9 } }
    const { refusals } = planSwitch(facts([member(1), member(2)], { sessions: [old] }))
    expect(refusals).toEqual([
      {
        datasource: 'db1',
        reason:
          'A transaction of user batch (thread 12) is open for 9 s, longer than switch-max-transaction (5 s).',
        fix: 'Let it end, or run KILL 12 there.',
      },
    ])
    expect(
      told([member(1), member(2)], { sessions: [{ ...old, transaction: { id: 'a', seconds: 5 } }] }),
    ).toEqual([])
  })

  it('with the reasons of all replicas where none could be the primary', () => {
    const members = [member(1), member(2, { channels: [] }), member(3, {}, { state: 'OFFLINE' })]
    expect(told(members, { wanted: undefined })).toEqual(['db2: It follows nobody.', 'db3: It is OFFLINE.'])
  })
})
