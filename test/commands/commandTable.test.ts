import { describe, expect, it } from 'vitest'
import { groups } from '../../src/commands/commandRow.ts'
import { commandTable } from '../../src/commands/commandTable.ts'

describe('the command table', () => {
  it('has every command of the program in a group, and the groups in the order of the help', () => {
    const inOrder = Object.values(groups)
    const order = commandTable.map(({ group }) => (group === undefined ? -1 : inOrder.indexOf(group)))
    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((one, other) => one - other))
    expect(new Set(order).size).toBe(inOrder.length)
  })
})
