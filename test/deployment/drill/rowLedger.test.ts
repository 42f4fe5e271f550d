import { describe, expect, it } from 'vitest'
import { createRowLedger } from '../../../src/deployment/drill/rowLedger.ts'

/** A ledger whose lines arrive when they were sent, by a program that began at 1000. */
function ledgerAt(origin = 1000) {
  let now = 0
  const ledger = createRowLedger(() => now)
  const add = (
    writer: number,
    row: number,
    [begin, end]: readonly [number, number],
    refused?: string,
  ): void => {
    now = origin + end
    ledger.add({ writer, row, begin, end, ...(refused !== undefined && { refused }) })
  }
  return { ledger, add }
}

describe('the rows of a drill', () => {
  it('are proven where a server has each that was acknowledged', () => {
    const { ledger, add } = ledgerAt()
    add(0, 1, [0, 5])
    add(1, 1, [0, 5])
    add(1, 2, [25, 30])
    const has = [[[1, 1]], [[1, 2]], [], []] as [number, number][][]
    expect(ledger.prove(has)).toEqual({ missing: 0, examples: [], unanswered: 0 })
  })

  it('are lost where a server lacks one, whoever wrote one of the same number', () => {
    const { ledger, add } = ledgerAt()
    for (const row of [1, 2, 3]) add(2, row, [row * 20, row * 20 + 5])
    const has = [[[2, 2]], [], [[1, 1]], []] as [number, number][][]
    expect(ledger.prove(has)).toEqual({ missing: 2, examples: ['2:2', '2:3'], unanswered: 1 })
  })

  it('may be there although their writer got no answer, or a refusal', () => {
    const { ledger, add } = ledgerAt()
    add(0, 1, [0, 5])
    add(0, 2, [25, 30], 'broke the connection off.')
    const has = [[[1, 3]], [], [], []] as [number, number][][]
    expect(ledger.prove(has)).toEqual({ missing: 0, examples: [], unanswered: 2 })
    expect(ledger.count()).toBe(1)
  })

  it('have the longest pause of one writer from the fault on', () => {
    const { ledger, add } = ledgerAt()
    add(0, 1, [0, 5])
    add(1, 1, [0, 5])
    add(0, 2, [1900, 1905])
    add(1, 2, [1900, 1905])
    add(0, 3, [2500, 2505])
    expect(ledger.longestPause(3000)).toBe(600)
    // Of both, before that.
    expect(ledger.longestPause(2900)).toBe(1900)
  })

  it('have the pause of a writer that none is acknowledged of any more', () => {
    const { ledger, add } = ledgerAt()
    add(0, 1, [0, 5])
    add(1, 1, [0, 10])
    add(1, 2, [25, 5010])
    add(0, 2, [25, 8005], 'broke the connection off.')
    expect(ledger.longestPause(1000)).toBe(8000)
  })

  it('have the first that was begun after the fault, by the clock of the one who watches', () => {
    const { ledger, add } = ledgerAt(500)
    add(0, 1, [0, 5])
    expect(ledger.firstAfter(600)).toBeUndefined()
    // Begun before the fault, acknowledged after it.
    add(1, 1, [99, 1500])
    expect(ledger.firstAfter(600)).toBeUndefined()
    add(0, 2, [101, 2000])
    expect(ledger.firstAfter(600)).toBe(2500)
    expect(ledger.fewestAfter(600, 1)).toBe(1)
    expect(ledger.fewestAfter(600, 2)).toBe(0)
  })

  it('counts a few messages of refused rows, and the others as one', () => {
    const { ledger, add } = ledgerAt()
    for (let row = 1; row <= 15; row++) add(0, row, [row, row], `reason ${row % 2 === 0 ? 0 : row}\nmore`)
    const { rows, messages } = ledger.refused()
    expect(rows).toBe(15)
    expect(messages).toContainEqual({ message: 'reason 0 / more', rows: 7 })
    for (let row = 20; row <= 40; row++) add(1, row, [row, row], `message ${row}`)
    expect(ledger.refused().messages).toHaveLength(11)
    expect(ledger.refused().messages.reduce((sum, it) => sum + it.rows, 0)).toBe(36)
  })
})
