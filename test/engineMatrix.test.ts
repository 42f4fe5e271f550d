import { describe, expect, it } from 'vitest'
import { matrixTable } from './lab/scenario/matrix.ts'
import { readPage } from './support/pages.ts'

describe('the table of engines in the guide', () => {
  it('has exactly the cells that test/lab/matrix.test.ts runs', () => {
    expect(readPage('docs/guide/engines.md')).toContain(`\n\n${matrixTable()}\n\n`)
  })
})
