import { describe, expect, it } from 'vitest'
import { gtidText } from '../../../src/components/databases/gtidSet.ts'
import { ownTransactions } from '../../../src/components/provision/ownTransactions.ts'

const primary = { written: '0-1-5,0-2-8', primary: '2' }
const own = (written: string, other = primary): string | undefined => {
  const found = ownTransactions({ written, primary: '2' }, other)
  return found && gtidText(found)
}

describe('the transactions of a server alone', () => {
  it.each([
    ['are none where the other one has them all', '0-1-5,0-2-7', undefined],
    ['are those of a former primary that nobody received', '0-1-7,0-2-3', '0-1-7'],
    ['are those that a replica wrote itself', '0-2-8,0-3-9', '0-3-9'],
    ['have those of other domains', '0-2-8,4-3-1', '4-3-1'],
    ['leave out what the primary writes meanwhile', '0-1-5,0-2-50', undefined],
  ])('%s', (_, written, wanted) => {
    expect(own(written)).toBe(wanted)
  })

  it('have what a server that was made from a backup does not name', () => {
    expect(own('0-2-8,0-3-7', { written: '0-2-9', primary: '2' })).toBe('0-3-7')
  })

  it('are found in the sets of MySQL, but for those of the primary', () => {
    const [source, other] = ['ecea779c-ec77-11f1-9f00-02fc00000001', 'ecea779c-ec77-11f1-9f00-02fc00000002']
    const found = ownTransactions(
      { written: `${source}:1-9:tag:1-2,${other}:1-3:5-7`, primary: source },
      { written: `${source}:1-8,${other}:1-2`, primary: source },
    )
    expect(found && gtidText(found)).toBe(`${other}:3, ${other}:5-7`)
  })

  it('are refused where a server names no GTIDs', () => {
    expect(() => own('0-1')).toThrow('the GTIDs of a server cannot be read')
  })
})
