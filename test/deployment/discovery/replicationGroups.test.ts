import { describe, expect, it } from 'vitest'
import type { DatabaseReport } from '../../../src/deployment/discovery/databaseReport.ts'
import { type Replication, replicationOf } from '../../../src/deployment/discovery/replicationGroups.ts'
import { database, replica } from './discovered.ts'

const replication = (...databases: readonly DatabaseReport[]): Replication =>
  replicationOf(
    databases.map((one, index) => ({
      name: `db${index + 1}`,
      given: [`10.0.0.1${index + 1}`],
      aliases: [`db${index + 1}`, `192.168.0.1${index + 1}`],
      database: one,
    })),
  )
const primaries = ({ groups }: Replication) =>
  groups.map(({ primary, members }) => `${primary}: ${members.join(' ')}`)
const doubts = ({ groups }: Replication) => groups.flatMap((group) => group.doubts).join('\n')

describe('replication between discovered servers', () => {
  it('has the server that nobody is the source of as its primary, by any address', () => {
    const found = replication(
      replica(1),
      replica(2, '10.0.0.11'),
      replica(3, '192.168.0.11'),
      replica(4, 'DB2'),
    )
    expect(primaries(found)).toEqual(['db1: db1 db2 db3 db4'])
    expect(doubts(found)).toBe('')
    expect(found.notes.get('db4')).toEqual(['It follows db2 by GTID.'])
  })

  it('is one group for each tree', () => {
    expect(
      primaries(replication(replica(1), replica(2, 'db1'), replica(3), replica(4, 'db3'), replica(5))),
    ).toEqual(['db1: db1 db2', 'db3: db3 db4', 'db5: db5'])
  })

  it('tells of two primaries', () => {
    const found = replication(replica(1), replica(2), replica(3, 'db1', 'db2'))
    expect(primaries(found)).toEqual(['db1: db1 db2 db3'])
    expect(doubts(found)).toContain('Conflict: db1 and db2 follow nobody')
  })

  it('takes the only writable server of a circle, and decides nothing between two', () => {
    const one = replication(
      { ...replica(1, 'db2'), readOnly: true },
      { ...replica(2, 'db1'), readOnly: false },
    )
    expect(primaries(one)).toEqual(['db2: db1 db2'])
    expect(doubts(one)).toContain('db2 is the only one that takes writes')
    const both = replication(
      { ...replica(1, 'db2'), readOnly: false },
      { ...replica(2, 'db1'), readOnly: false },
    )
    expect(doubts(both)).toContain('Conflict: db1 and db2 follow each other in a circle')
  })

  it('names a source that is not in the list', () => {
    const found = replication(replica(1, '10.0.0.99'), replica(2, 'db1'))
    expect(doubts(found)).toContain('db1 itself follows a server that is not in this list')
    expect(found.notes.get('db1')?.[0]).toContain('To add it: muster discover … 10.0.0.99')
  })

  it('believes no server that claims the address of another one', () => {
    const liar = {
      name: 'evil',
      given: ['10.0.0.66'],
      aliases: ['10.0.0.11', 'db1'],
      database: database({ serverId: 66 }),
    }
    const honest = { name: 'db1', given: ['10.0.0.11'], aliases: ['db1'], database: database() }
    const follower = { name: 'db2', given: ['10.0.0.12'], aliases: [], database: replica(2, '10.0.0.11') }
    expect(primaries(replicationOf([liar, honest, follower]))).toEqual(['evil: evil', 'db1: db1 db2'])
    const unknown = replicationOf([liar, { ...liar, name: 'evil2' }, follower])
    expect(unknown.notes.get('db2')?.[0]).toContain('evil and evil2 all say that they are 10.0.0.11')
  })

  it('doubts a source whose server_id is another one', () => {
    const [channel] = replica(2, 'db1').channels
    const follower = database({
      serverId: 2,
      channels: channel ? [{ ...channel, source: { host: 'db1', port: 3306, serverId: 99 } }] : [],
    })
    expect(replication(replica(1), follower).notes.get('db2')?.[0]).toContain(
      'db1 has server_id 1, but the source has 99',
    )
  })

  it('tells of replication that does not run, of a tunnel and of writable replicas', () => {
    const [channel] = replica(2, 'db1').channels
    const broken = database({
      serverId: 2,
      channels: channel ? [{ ...channel, running: false, gtid: false }] : [],
    })
    const found = replication(replica(1), broken, replica(3, '127.0.0.1'))
    expect(found.notes.get('db2')).toEqual([
      'Not sure: it follows db1 by positions in the binary log, but its replication does not run.',
    ])
    expect(found.notes.get('db3')?.[0]).toContain('which is itself or a tunnel')
    expect(doubts(found)).toContain('db2 can be written, too')
  })
})
