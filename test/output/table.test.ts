import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/wrapping.ts'
import { type Row, tableLines } from '../../src/output/table.ts'

const titles = ['HOST', 'COMPONENT', 'LISTENS ON', '']
const rows: readonly Row[] = [
  ['db1', 'manager', { text: '10.0.0.11:8090', tint: 'green' }, 'runs now'],
  ['db1', 'connector', { text: 'socket only', tint: 'red' }, ''],
  ['db2', { text: 'unreachable', tint: 'red' }],
]
const shown = (width: number, colour = false) => tableLines({ titles, rows, colour, width }).join('\n')

describe('tableLines', () => {
  it('aligns columns if the terminal is wide enough, to the column', () => {
    const wide = `HOST  COMPONENT    LISTENS ON
db1   manager      10.0.0.11:8090  runs now
db1   connector    socket only
db2   unreachable`
    expect(shown(43)).toBe(wide)
    expect(shown(Number.POSITIVE_INFINITY)).toBe(wide)
    expect(shown(42)).not.toBe(wide)
  })

  it('writes a block for each row on a narrow terminal, below the shared first cell', () => {
    expect(shown(40)).toBe(`db1
  COMPONENT: manager
    LISTENS ON: 10.0.0.11:8090  runs now
  COMPONENT: connector
    LISTENS ON: socket only
db2: unreachable`)
  })

  it('breaks the last column between words where it has room', () => {
    const notes = [
      ['db1', 'manager', 'ok', { text: 'follows the connector of db2 since it was switched', tint: 'green' }],
      ['db2', { text: 'unreachable', tint: 'red' }],
    ] as const
    const table = (width: number) =>
      tableLines({ titles: ['HOST', 'COMPONENT', 'STATE', 'NOTE'], rows: notes, colour: false, width })
    expect(table(52).join('\n')).toBe(`HOST  COMPONENT    STATE  NOTE
db1   manager      ok     follows the connector of
                          db2 since it was switched
db2   unreachable`)
    // One column less would leave the last one too narrow to read.
    expect(table(49)[0]).not.toContain('COMPONENT')
  })

  it('writes a table if the terminal reports no valid width', () => {
    expect(shown(0)).toBe(shown(80))
  })

  it('writes only the titles without rows, at any width', () => {
    expect(tableLines({ titles, rows: [], colour: false, width: 20 })).toEqual([
      'HOST  COMPONENT  LISTENS ON',
    ])
  })

  it('has the same text in colour, and escapes control characters of cells', () => {
    for (const width of [40, 80]) {
      expect(shown(width, true)).not.toBe(shown(width))
      expect(stripVTControlCharacters(shown(width, true))).toBe(shown(width))
    }
    const hostile = [['db1', `${'x'.repeat(20)}\u001b[2J`]]
    for (const width of [20, 80]) {
      const lines = tableLines({ titles: ['HOST', 'USER'], rows: hostile, colour: false, width })
      expect(lines.join('\n')).not.toContain('\u001b')
    }
  })

  it('is never wider than the terminal, except for a long word, and keeps all cells', () => {
    const cell = fc.stringMatching(/^[a-z0-9äß漢.:-]{1,18}( [a-z0-9äß漢.:-]{1,18}){0,3}$/)
    const made = fc.array(fc.tuple(cell, cell, cell, cell), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(made, fc.integer({ min: 20, max: 120 }), (cells, width) => {
        const lines = tableLines({ titles, rows: cells, colour: false, width })
        for (const line of lines) {
          // A label keeps its first word beside it only where both fit, so a lone word may be all of a line.
          const words = line.trim().split(/\s+/).length
          expect(columnsOf(line) <= width || words === 1).toBe(true)
        }
        const words = lines.join(' ').split(/\s+/)
        for (const row of cells) {
          for (const word of row.join(' ').split(' ')) expect(words).toContain(word)
        }
      }),
    )
  })
})
