import { expect, it } from 'vitest'
import { columnsOf } from '../../src/output/columnsOf.ts'

it.each([
  ['', 0],
  ['admin', 5],
  ['zoë', 3],
  ['zoe\u0308', 3],
  ['漢字ユーザー', 12],
  ['한글', 4],
  ['ｶﾅ', 2],
  ['Ａ', 2],
  ['a😀b', 4],
  ['·', 1],
])('%j takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns)
})
