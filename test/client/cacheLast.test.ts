import { expect, it } from 'vitest'
import { cacheLast } from '../../src/client/cacheLast.ts'

it('cacheLast makes each of the last eight values once', () => {
  const remembered = cacheLast<string>()
  let made = 0
  const ask = (key: string): string => {
    return remembered(key, () => {
      made += 1
      return `of ${key}`
    })
  }
  for (const key of ['a', 'b', 'a', 'b']) expect(ask(key)).toBe(`of ${key}`)
  expect(made).toBe(2)
  for (const key of ['1', '2', '3', '4', '5', '6', '7']) ask(key)
  expect(made).toBe(9)
  // The oldest is gone, the next is not.
  ask('b')
  expect(made).toBe(9)
  ask('a')
  expect(made).toBe(10)
})
