import { describe, expect, it } from 'vitest'
import { readMariadbGtids } from '../../../../src/components/databases/gtidSet.ts'
import { reasonAgainst } from '../../../../src/components/manager/switch/repointSource.ts'
import { gone, member } from './planMembers.ts'

const nodeOf = (its: ReturnType<typeof member>) => ({ name: its.name, member: its })
const writer = nodeOf(member(2, { isWritable: true, channels: [] }))
const reasonOf = (...change: Parameters<typeof member>) => reasonAgainst(nodeOf(member(...change)), writer)

describe('what speaks against letting a server follow the writer', () => {
  it('is nothing for one that has nothing more', () => {
    expect(reasonOf(1)).toBeUndefined()
    expect(reasonOf(3)).toBeUndefined()
  })

  it('is nothing for one that was not read', () => {
    expect(reasonOf(1, {}, gone)).toBeUndefined()
  })

  it('are commits that wait for a replica, which only a crash removes', () => {
    expect(reasonOf(1, { waitingCommits: 2, gtids: readMariadbGtids('0-1-37') })).toMatch(
      /^db2 took its place, and commits wait here for a replica: 2\. Kill its server/,
    )
  })

  it('are transactions of its own', () => {
    expect(reasonOf(1, { gtids: readMariadbGtids('0-1-36') })).toBe(
      'db1 has transactions that db2 does not have: 0-1-36. Make it anew from a backup of db2 (muster provision db1).',
    )
  })

  it('are its own last transactions that it lost and would leave out, unless it follows already', () => {
    const lost = { gtids: readMariadbGtids('0-1-34'), takesOwn: false }
    expect(reasonOf(1, lost)).toMatch(/^db1 lacks transactions that it wrote itself and db2 has \(0-1-35\)/)
    const { channels } = member(3).known ?? {}
    expect(reasonOf(1, { ...lost, isWritable: false, ...(channels && { channels }) })).toBeUndefined()
  })
})
