import { describe, expect, it } from 'vitest'
import type { PictureDataSource, PictureService } from '../../../src/contracts/clusterPicture.ts'
import { lostNotes } from '../../../src/output/deployment/lostNotes.ts'

const lost: PictureService['writer'] = { datasource: null, code: null, reason: 'db1 is FAILED', hold: true }
const source = (name: string, role: 'primary' | 'replica', state: 'FAILED' | 'ONLINE') =>
  ({ service: 'alpha', name, role, state }) as PictureDataSource

/** The notes about a service whose primary db1 is lost, but for these changes. */
function notes(
  changes: Partial<PictureService>,
  datasources = [source('db1', 'primary', 'FAILED'), source('db2', 'replica', 'ONLINE')],
): readonly string[] {
  const service = { name: 'alpha', writer: lost, failover: null, ...changes } as PictureService
  return lostNotes({ services: [service], datasources })
}

describe('the notes about a primary that is lost', () => {
  it('name both ways out', () => {
    const both = [
      'alpha has no writer: start the server of db1, or let another one take its place with muster failover.',
    ]
    expect(notes({})).toEqual(both)
    expect(notes({ failover: { automatic: false, reason: 'The policy is MANUAL.' } })).toEqual(both)
  })

  it('are none where the managers do it, nobody knows, or something else keeps clients from writing', () => {
    expect(notes({ failover: { automatic: true, reason: null } })).toEqual([])
    expect(notes({ writer: null })).toEqual([])
    expect(notes({ writer: { datasource: 'db1', code: null, reason: null, hold: false } })).toEqual([])
    expect(notes({ writer: { ...lost, code: 'two-writers' } })).toEqual([])
    expect(notes({ writer: { ...lost, switching: { from: 'db1', to: 'db2' } } })).toEqual([])
    expect(notes({}, [source('db1', 'primary', 'ONLINE')])).toEqual([])
    expect(notes({}, [source('db1', 'primary', 'FAILED'), source('db2', 'primary', 'FAILED')])).toEqual([])
  })
})
