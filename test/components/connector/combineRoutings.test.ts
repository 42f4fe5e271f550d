import { describe, expect, it } from 'vitest'
import { combineRoutings, type HeardManager } from '../../../src/components/connector/combineRoutings.ts'
import { routed, routingOf } from '../../support/standInManager.ts'
import { dataSource } from '../../support/testConnector.ts'

const [db1, db2] = [dataSource({ name: 'db1', port: 1 }), dataSource({ name: 'db2', port: 2 })]
const replica = (it: typeof db1) => ({ ...it, role: 'replica' as const })

const saysFirst: HeardManager = { name: 'db1', routing: routingOf([routed(db1), routed(replica(db2))]) }
const saysSecond: HeardManager = { name: 'db2', routing: routingOf([routed(replica(db1)), routed(db2)]) }
const knowsNone: HeardManager = {
  name: 'db3',
  routing: routingOf([routed(db1), routed(replica(db2))], {
    datasource: null,
    code: 'no-writer',
    reason: 'nobody knows yet',
    hold: true,
  }),
}

const writer = (base: HeardManager, ...others: readonly HeardManager[]) =>
  combineRoutings(base, [base, ...others]).services[0]?.writer

describe('the word of several managers', () => {
  it('is that of the first where the others say the same, or nothing', () => {
    expect(combineRoutings(saysFirst, [saysFirst])).toEqual(saysFirst.routing)
    expect(writer(saysFirst, { ...saysFirst, name: 'db2' }, knowsNone)).toMatchObject({
      datasource: 'db1',
      code: null,
    })
  })

  it('names no writer where another manager names another', () => {
    expect(writer(saysFirst, saysSecond, knowsNone)).toEqual({
      datasource: null,
      code: 'two-writers',
      reason: 'managers disagree: db1 says db1, db2 says db2',
      hold: true,
    })
  })

  it('counts the same name at another address as another server', () => {
    const elsewhere = { name: 'db2', routing: routingOf([routed({ ...db1, port: 7 })]) }
    expect(writer(saysFirst, elsewhere)?.code).toBe('two-writers')
  })

  it('takes no writer from the others where the first names none', () => {
    expect(writer(knowsNone, saysFirst)).toEqual(knowsNone.routing.services[0]?.writer)
    expect(writer(knowsNone, saysFirst, saysSecond)?.datasource).toBeNull()
  })

  const switching = {
    datasource: null,
    code: null,
    reason: 'a switch from db1 to db2 is under way',
    hold: true,
    switching: { from: 'db1', to: 'db2' },
  }
  const holds: HeardManager = {
    name: 'db4',
    routing: routingOf([routed(db1), routed(replica(db2))], switching),
  }

  it('lets clients wait while any manager holds them for a switch, also if others name the old or the new primary', () => {
    for (const base of [saysFirst, saysSecond, holds]) expect(writer(base, holds)).toEqual(switching)
    expect(writer(holds, saysFirst)).toEqual(switching)
    expect(writer(holds, saysSecond)).toEqual(switching)
    const { switching: _, ...unswitched } = switching
    const refuses = routingOf([routed(db1)], { ...unswitched, reason: 'none', hold: false })
    expect(writer({ name: 'db5', routing: refuses }, holds)).toEqual(switching)
    // One that has just started knows nobody, and stops nobody.
    const started = routingOf([routed(db1)], { ...unswitched, reason: 'not checked yet' })
    expect(writer(saysFirst, { name: 'db5', routing: started })?.datasource).toBe('db1')
  })

  it('is still that managers disagree where they name two, whoever makes a switch', () => {
    expect(writer(saysFirst, saysSecond, holds)?.code).toBe('two-writers')
  })

  it('lists a few of many managers', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ ...saysSecond, name: `db${index + 2}` }))
    expect(writer(saysFirst, ...many)?.reason).toMatch(/db8 says db2, 33 more$/)
  })
})
