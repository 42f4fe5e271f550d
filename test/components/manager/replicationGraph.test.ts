import { describe, expect, it } from 'vitest'
import {
  gtidText,
  noGtids,
  readMariadbGtids,
  readMysqlGtids,
} from '../../../src/components/databases/gtidSet.ts'
import type { Observation } from '../../../src/components/manager/checkResult.ts'
import {
  heldByOthers,
  type Member,
  showsPrimary,
  toldGtids,
  waitsInVain,
} from '../../../src/components/manager/replicationGraph.ts'
import { follows, idle, memberOf, type Name, names, writes } from './managedService.ts'
import { answered, channel, place, refusing } from './support.ts'

type Row = readonly [string, 'switch' | 'failover', Readonly<Record<Name, Observation>>, boolean]

const switched = { db1: follows('db1', 'db2'), db2: writes('db2'), db3: follows('db3', 'db2') }

describe('the servers of a service', () => {
  it.each<Row>([
    ['all follow it', 'switch', switched, true],
    ['a third one is late', 'switch', { ...switched, db3: follows('db3', 'db1') }, true],
    ['the old one follows it by way of a third', 'switch', { ...switched, db1: follows('db1', 'db3') }, true],
    ['the old one can be written', 'switch', { ...switched, db1: writes('db1') }, false],
    ['it is read-only', 'switch', { ...switched, db2: idle('db2') }, false],
    ['it follows another', 'switch', { ...switched, db2: follows('db2', 'db1') }, false],
    ['it cannot be read', 'switch', { ...switched, db2: refusing }, false],
    ['nobody follows it', 'switch', { ...switched, db1: idle('db1'), db3: follows('db3', 'db1') }, false],
    ['the old one is away, and the others follow', 'failover', { ...switched, db1: refusing }, true],
    [
      'the old one is away, and another follows it',
      'failover',
      { ...switched, db1: refusing, db3: follows('db3', 'db1') },
      false,
    ],
    ['the lost one can be written', 'failover', { ...switched, db1: writes('db1') }, false],
  ])('show the new primary of a change or not: %s', (_what, operation, looks, expected) => {
    const members = names.map((name) => memberOf(name, looks[name]))
    expect(showsPrimary(members, { operation, from: 'db1', to: 'db2' })).toBe(expected)
  })

  it('that a person took out, and witnesses, say nothing of a new primary', () => {
    const members = [
      memberOf('db1', refusing),
      memberOf('db2', writes('db2')),
      memberOf('db3', follows('db3', 'db1'), { state: 'SHUNNED' }),
    ]
    expect(showsPrimary(members, { operation: 'failover', from: 'db1', to: 'db2' })).toBe(true)
  })

  it('have what a MySQL wrote itself, where they have or have received it', () => {
    const [one, two] = ['81d42a08-ecc3-11f1-b4f9-de3aeca611d2', '91d42a08-ecc3-11f1-b4f9-de3aeca611d2']
    const has = (uuid: string, text: string, receivedText?: string) => {
      const channels =
        receivedText === undefined ? [] : [{ ...channel, receivedGtids: readMysqlGtids(receivedText) }]
      return answered({ version: '9.7.0', uuid, gtids: readMysqlGtids(text), channels })
    }
    const own = memberOf('db1', has(one, `${one}:1-20`))
    const others = [
      memberOf('db2', has(two, `${one}:1-8,${two}:1-3`)),
      memberOf('db3', has(two, `${one}:1-7`, `${one}:8-9`)),
    ]
    expect(gtidText(heldByOthers(own, [own, ...others]))).toBe(`${one}:1-9`)
    expect(gtidText(heldByOthers(memberOf('db1', refusing, { known: own.known }), others))).toBe(`${one}:1-9`)
    expect(gtidText(heldByOthers(memberOf('db1', writes('db1')), others))).toBe('')
  })

  it('let a primary wait in vain while nothing comes of it and one that would tell is there', () => {
    const primary = (more = {}) =>
      memberOf(
        'db1',
        answered({ isWritable: true, serverId: 1, waitingCommits: 2, ackers: 1, acknowledged: 7, ...more }),
      )
    const replica = (received: string, more = {}) =>
      memberOf(
        'db2',
        answered({
          serverId: 2,
          semiSync: { source: false, replica: true },
          channels: [{ ...channel, receivedGtids: readMariadbGtids(received), ...more }],
        }),
      )
    const text = (own: Member, other: Member) => waitsInVain(own, [own, other])
    const before = text(primary(), replica('0-1-9'))
    expect(before).toBeDefined()
    expect(text(primary(), replica('0-1-9'))).toBe(before)
    expect(text(primary({ acknowledged: 8 }), replica('0-1-9'))).not.toBe(before)
    expect(text(primary(), replica('0-1-10'))).not.toBe(before)
    for (const [own, other] of [
      [primary({ waitingCommits: 0 }), replica('0-1-9')],
      [primary({ ackers: 0 }), replica('0-1-9')],
      [primary(), replica('0-1-9', { receiver: 'connecting' })],
      [primary(), replica('0-1-9', { source: place('db3'), sourceId: 3 })],
      [primary(), memberOf('db2', refusing)],
    ] as const) {
      expect(text(own, other)).toBeUndefined()
    }
  })

  it('told all that they have but for commits that wait, which the GTIDs of a MySQL do not name', () => {
    const uuid = '81d42a08-ecc3-11f1-b4f9-de3aeca611d2'
    const waiting = { serverId: 1, waitingCommits: 3 }
    const told = (more: object): string => {
      const look = answered({ ...waiting, ...more })
      return look.kind === 'answered' ? gtidText(toldGtids(look.reading) ?? noGtids) : ''
    }
    expect(told({ gtids: readMariadbGtids('0-1-20') })).toBe('0-1-17')
    expect(told({ version: '9.7.0', uuid, gtids: readMysqlGtids(`${uuid}:1-20`) })).toBe(`${uuid}:1-20`)
  })
})
