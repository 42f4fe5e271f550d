import { describe, expect, it } from 'vitest'
import { DatabaseError } from '../../../../src/components/databases/databaseError.ts'
import { readMariadbGtids } from '../../../../src/components/databases/gtidSet.ts'
import type { SwitchReading } from '../../../../src/components/databases/switchServer.ts'
import { type FailoverFacts, planFailover } from '../../../../src/components/manager/switch/planFailover.ts'
import type { SwitchMember } from '../../../../src/components/manager/switch/planSwitch.ts'
import { following, gone, member } from './planMembers.ts'

/** A replica whose primary is gone: it has applied and received as many transactions. */
const survivor = (
  number: number,
  { applied = 35, received = applied, change = {}, more = {} }: Survivor = {},
): SwitchMember =>
  member(
    number,
    {
      gtids: readMariadbGtids('', `0-1-${applied}`),
      channels: [
        { ...following, receiver: 'connecting', receivedGtids: readMariadbGtids(`0-1-${received}`) },
      ],
      ...change,
    },
    more,
  )

type Survivor = {
  readonly applied?: number
  readonly received?: number
  readonly change?: Partial<SwitchReading>
  readonly more?: Partial<SwitchMember>
}

const lost = member(1, { gtids: readMariadbGtids('0-1-35') }, gone)

const plan = (members: readonly SwitchMember[], more: Partial<FailoverFacts> = {}) =>
  planFailover({
    service: 'alpha',
    members,
    primary: 'db1',
    check: gone.look,
    wanted: undefined,
    accepted: new Set(),
    grants: () => 'GRANT …',
    ...more,
  })

const told = (...args: Parameters<typeof plan>): readonly string[] =>
  plan(...args).refusals.map(({ datasource, reason }) => `${datasource}: ${reason}`)

describe('the plan of a failover', () => {
  it('takes the survivor that has received the most, also where another one has applied more', () => {
    const members = [lost, survivor(2, { applied: 30 }), survivor(3, { applied: 20, received: 36 })]
    expect(plan(members)).toMatchObject({
      from: 'db1',
      to: 'db3',
      loss: 'db3 has all that db1 told at its last check. What db1 committed after its last check is lost where no survivor received it.',
      refusals: [],
      followers: ['db2'],
      remarks: [
        'db1 was not reached: its manager lets it follow db3 when it is back, unless it has transactions of its own.',
      ],
    })
  })

  it('takes the one that has applied more among those that have received the same', () => {
    const members = [lost, survivor(2, { applied: 20, received: 35 }), survivor(3)]
    expect(plan(members).to).toBe('db3')
  })

  it('says how much is lost of what the lost primary told', () => {
    const members = [lost, survivor(2, { applied: 33 }), survivor(3, { applied: 31 })]
    expect(plan(members)).toMatchObject({
      to: 'db2',
      loss: expect.stringMatching(/^Lost: 2 transactions that db1 told and no survivor has \(0-1-35\)\. /),
    })
  })

  it('replaces a primary that is back without what a survivor has', () => {
    const back = (text: string, change: Partial<SwitchReading> = {}) =>
      member(1, { isWritable: false, gtids: readMariadbGtids(text), ...change })
    const answers = { check: back('0-1-34').look } as const
    const replicas = [survivor(2), survivor(3, { applied: 34 })]
    const of = (from: SwitchMember) => plan([from, ...replicas], answers as Partial<FailoverFacts>)
    expect(of(back('0-1-34'))).toMatchObject({
      ...{ from: 'db1', to: 'db2', refusals: [] },
      remarks: ['db1 lost what db2 has: its manager lets it follow db2.'],
    })
    expect(of(back('0-1-35')).refusals[0]?.reason).toBe('It answers, and is read-only: it is not lost.')
    expect(of(back('0-1-34', { isWritable: true })).refusals[0]?.reason).toMatch(/can be written/)
    // It has something, too, that nobody else has.
    expect(of(back('0-1-34,7-9-1')).refusals.map(({ reason }) => reason)).toContain(
      'It lacks 1 transaction that db1 has: 7-9-1.',
    )
  })

  it('says that the loss is unknown where the lost primary was never read', () => {
    const unread = { ...lost, known: null }
    expect(plan([unread, survivor(2)]).loss).toMatch(/^It is unknown what is lost: /)
  })

  it('does nothing where two survivors disagree, and names both', () => {
    const [one, two] = [readMariadbGtids('0-2-40', '0-1-35'), readMariadbGtids('0-3-41', '0-1-35')]
    const known = { ...lost, known: null }
    const members = [known, survivor(2, { change: { gtids: one } }), survivor(3, { change: { gtids: two } })]
    expect(plan(members).to).toBeNull()
    expect(told(members)).toEqual([
      'db2: It lacks 6 transactions that db3 has: 0-3-41.',
      'db3: It lacks 5 transactions that db2 has: 0-2-40.',
    ])
  })

  it('takes the one that is named if it has all, and names who has more otherwise', () => {
    const members = [lost, survivor(2, { applied: 34 }), survivor(3)]
    expect(plan([lost, survivor(2), survivor(3)], { wanted: 'db3' })).toMatchObject({
      to: 'db3',
      refusals: [],
    })
    expect(plan(members, { wanted: 'db2' }).refusals).toEqual([
      {
        datasource: 'db2',
        reason: 'It lacks 1 transaction that db3 has: 0-1-35.',
        fix: 'Fail over to db3, or take db3 out with tapi datasource shun.',
      },
    ])
    expect(told(members, { wanted: 'db9' })).toEqual(['db9: The service has no data source of that name.'])
    expect(told(members, { wanted: 'db1' })).toEqual(['db1: It cannot be the primary now.'])
  })

  const failed = (error: ConstructorParameters<typeof DatabaseError>[0]) => ({
    look: { kind: 'unable' as const, error: new DatabaseError(error) },
  })
  it.each<readonly [string, SwitchMember, string]>([
    ['can be written', member(1), 'It answers, and can be written: it is not lost.'],
    ['is read-only', member(1, { isWritable: false }), 'It answers, and is read-only: it is not lost.'],
    [
      'follows another server',
      member(1, { isWritable: false, channels: [following] }),
      'It answers, and follows another server.',
    ],
    [
      'refuses the login',
      member(1, {}, failed({ code: 'refused', message: 'Access denied.' })),
      'It may be alive: Access denied.',
    ],
    ['was not read', member(1, {}, { look: { kind: 'unread' } }), 'It may be alive: It was not read.'],
  ])('is refused where the primary %s', (_what, primary, reason) => {
    expect(told([primary, survivor(2), survivor(3)])).toEqual([`db1: ${reason}`])
  })

  it('is refused where a check of the manager reached the primary, or its login was refused', () => {
    const refused = new DatabaseError({ code: 'refused', message: 'Access denied.' })
    for (const check of [member(1).look, { kind: 'unable', error: refused }] as const) {
      if (check.kind === 'unread') throw new Error('not checked')
      expect(told([lost, survivor(2)], { check })).toEqual([
        'db1: A check of the manager reached it, and this call did not: The database is gone.',
      ])
    }
    expect(told([lost, survivor(2)], { check: null })).toEqual([])
  })

  it('is refused where a survivor cannot be read, unless a person took it out', () => {
    const away = member(3, {}, gone)
    expect(told([lost, survivor(2), away])).toEqual([
      'db3: It cannot be reached, and may have transactions that no other server has: The database is gone.',
    ])
    const shunned = plan([lost, survivor(2), { ...away, state: 'SHUNNED' }])
    expect(shunned).toMatchObject({ to: 'db2', refusals: [] })
    expect(shunned.remarks.at(-1)).toMatch(/^db3 was not reached: its manager lets it follow db2/)
  })

  it.each<readonly [string, Survivor, string]>([
    ['follows nobody', { change: { channels: [] } }, 'It follows nobody.'],
    [
      'follows a stranger',
      { change: { channels: [{ ...following, source: { host: '10.9.9.9', port: 3306 }, sourceId: 99 }] } },
      'It follows 10.9.9.9 port 3306, not db1.',
    ],
    [
      'stopped with an error',
      {
        change: {
          channels: [
            { ...following, applier: 'stopped', applierError: { number: 1062, message: 'Duplicate entry.' } },
          ],
        },
      },
      'It does not apply what it received: Duplicate entry.',
    ],
    [
      'is late on purpose',
      { change: { channels: [{ ...following, delay: 60 }] } },
      'It applies 60 s later on purpose.',
    ],
    ['has no GTIDs', { change: { gtids: null } }, 'It has no GTIDs.'],
    [
      'writes no binary log',
      { change: { logsReplicated: false } },
      'It writes no binary log of what it replicates.',
    ],
    [
      'leaves tables out',
      { change: { omissions: [{ reason: 'filter', setting: 'replicate_do_table=a' }] } },
      'Its replication leaves something out: replicate_do_table=a.',
    ],
  ])('never takes a survivor that %s', (_what, its, reason) => {
    expect(plan([lost, survivor(2, its), survivor(3)])).toMatchObject({ to: 'db3' })
    expect(told([lost, survivor(2, its), survivor(3)], { wanted: 'db2' })).toContain(`db2: ${reason}`)
  })

  it('takes a survivor whose omission the operator accepts', () => {
    const filtered = survivor(2, {
      change: { omissions: [{ reason: 'filter', setting: 'replicate_do_table=a' }] },
    })
    expect(plan([lost, filtered], { accepted: new Set(['filter']) })).toMatchObject({
      to: 'db2',
      refusals: [],
    })
  })

  it.each<readonly [string, Survivor, string]>([
    [
      'has transactions of its own',
      { change: { gtids: readMariadbGtids('0-3-7', '0-1-35') } },
      'It has transactions that db1 did not have: 0-3-7.',
    ],
    [
      'can be written',
      { change: { isWritable: true, channels: [] } },
      'It can be written and follows nobody.',
    ],
    [
      'lacks rights',
      { change: { missingPrivileges: ['RELOAD'] } },
      'The replication-user lacks privileges there: RELOAD.',
    ],
    [
      'follows two servers',
      { change: { channels: [following, { ...following, name: 'b' }] } },
      'It follows several servers, and would lose all but the primary.',
    ],
  ])('is refused where a third server %s', (_what, its, reason) => {
    expect(told([lost, survivor(2), survivor(3, its)], { wanted: 'db2' })).toContain(`db3: ${reason}`)
  })

  it('takes a standby only where there is no replica, and a witness never', () => {
    const standby = survivor(3, { more: { role: 'standby' } })
    const witness = survivor(3, { more: { role: 'witness' } })
    expect(plan([lost, standby, survivor(2)]).to).toBe('db2')
    expect(plan([lost, standby]).to).toBe('db3')
    expect(told([lost, witness])).toEqual([
      'null: The service has no other data source that could be the primary.',
    ])
  })

  it('is refused where nobody knows which one was the primary', () => {
    expect(told([survivor(2)], { primary: null })).toEqual([
      'null: It is not known which data source was the primary.',
    ])
  })
})
