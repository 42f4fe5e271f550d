import { expect, it } from 'vitest'
import { codes, loadText } from './loadText.ts'

// As many as a file may hold.
it('loading a configuration reports 130,000 unknown options', () => {
  const options = Array.from({ length: 130_000 }, (_, at) => `  o${at}: 1`).join('\n')
  expect(codes(loadText(`defaults:\n${options}`))[0]).toBe('1 missing-key')
})
