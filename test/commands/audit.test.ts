import { expect, it } from 'vitest'
import { isRunId } from '../../src/commands/audit.ts'

it.each([
  ['last', true],
  ['20260102T030405Z-1a2b3c', true],
  ['20260102T030405Z-', true],
  ['20260102T030405Z', true],
  ['20260102T03', true],
  ['20260102T', true],
  ['20260102', false],
  ['20260102T0304055', false],
  ['20260102T030405Z.yaml', false],
  ['muster.yaml', false],
])('muster audit recognizes run ids and their beginnings: %s', (word, is) => {
  expect(isRunId(word)).toBe(is)
})
