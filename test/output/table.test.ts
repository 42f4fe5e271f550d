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

describe('a table', () => {
  it('has aligned columns where the terminal is wide enough, to the column', () => {
    const wide = `HOST  COMPONENT    LISTENS ON
db1   manager      10.0.0.11:8090  runs now
db1   connector    socket only
db2   unreachable`
    expect(shown(43)).toBe(wide)
    expect(shown(Number.POSITIVE_INFINITY)).toBe(wide)
    expect(shown(42)).not.toBe(wide)
  })

  it('is a block for each row on a narrow terminal, below what rows share', () => {
    expect(shown(40)).toBe(`db1
  COMPONENT: manager
    LISTENS ON: 10.0.0.11:8090  runs now
  COMPONENT: connector
    LISTENS ON: socket only
db2: unreachable`)
  })

  it('stays as it is where the terminal names no width that could be one', () => {
    expect(shown(0)).toBe(shown(80))
  })

  it('is what the caller makes of it on a narrow terminal where it makes something of it', () => {
    expect(tableLines({ titles, rows, colour: false, width: 40, narrow: () => ['db1'] })).toEqual(['db1'])
  })

  it('is its titles where there are no rows, however narrow the terminal is', () => {
    expect(tableLines({ titles, rows: [], colour: false, width: 20 })).toEqual([
      'HOST  COMPONENT  LISTENS ON',
    ])
  })

  it('differs in colour by colour alone, and lets no cell steer the terminal', () => {
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

  it('is never wider than the terminal but for a word that is, and loses no cell', () => {
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
