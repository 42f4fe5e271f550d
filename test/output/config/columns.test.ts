import { expect, it } from 'vitest'
import { inColumns } from '../../../src/output/config/columns.ts'

const columns = (width: number, ...lines: { text: string; remark?: string }[]) =>
  inColumns(lines, { width, paint: (comment) => comment })

it('puts remarks in one column behind the longest line', () => {
  const lines = columns(
    40,
    { text: 'a: 1', remark: 'x' },
    { text: 'group:' },
    { text: '  long: 22', remark: 'y' },
  )
  expect(lines).toEqual(['a: 1        # x', 'group:', '  long: 22  # y'])
})

it('lets one long line not move the others', () => {
  const long = `list: [${'x'.repeat(60)}]`
  const lines = columns(90, { text: 'a: 1', remark: 'x' }, { text: long, remark: 'y' })
  expect(lines).toEqual(['a: 1  # x', `${long}  # y`])
})

it('goes above where there is no room, in the indentation of the line', () => {
  const lines = columns(
    20,
    { text: '  a: 1', remark: 'eleven more' },
    { text: '  ab: 1', remark: 'ten sign s' },
  )
  expect(lines).toEqual(['  # eleven more', '  a: 1', '  # ten sign s', '  ab: 1'])
  expect(columns(21, { text: '  ab: 1', remark: 'ten sign s' })).toEqual(['  ab: 1  # ten sign s'])
})
