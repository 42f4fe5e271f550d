import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leastBusy, routeOf } from '../../../src/components/connector/routing.ts'
import {
  type DataSourceEntry,
  dataSourceRoles,
  dataSourceStates,
} from '../../../src/contracts/servicesMap.ts'

const source = (name: string, more: Partial<DataSourceEntry> = {}): DataSourceEntry => ({
  name,
  host: name,
  port: 3306,
  role: 'replica',
  state: 'ONLINE',
  ...more,
})

describe('routeOf', () => {
  const map = (...datasources: readonly DataSourceEntry[]) => ({ services: [{ name: 'alpha', datasources }] })
  const problem = (datasources: readonly DataSourceEntry[], role: 'primary' | 'replica') =>
    routeOf({ map: map(...datasources), service: 'alpha', role }).problem

  it('says why there is nowhere to go', () => {
    const primary = source('db1', { role: 'primary', state: 'SHUNNED' })
    expect(problem([primary], 'primary')).toBe('no primary of service alpha is ONLINE: db1 is SHUNNED')
    expect(problem([primary], 'replica')).toBe('the service alpha has no replica')
    const failed = [source('db2', { state: 'FAILED' }), source('db3', { state: 'OFFLINE' })]
    expect(problem(failed, 'replica')).toBe(
      'no replica of service alpha is ONLINE: db2 is FAILED, db3 is OFFLINE',
    )
    const other = routeOf({ map: map(), service: 'beta', role: 'primary' })
    expect(other).toEqual({ usable: [], problem: 'the services map has no service beta' })
  })

  it('goes to what is ONLINE or UNKNOWN in that role, to nothing else, and says a reason exactly where there is none', () => {
    const anySource = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      role: fc.constantFrom(...dataSourceRoles),
      state: fc.constantFrom(...dataSourceStates),
    })
    fc.assert(
      fc.property(fc.array(anySource), fc.constantFrom('primary', 'replica'), (sources, role) => {
        const all = sources.map(({ name, ...more }) => source(name, more))
        const { usable, problem: why } = routeOf({ map: map(...all), service: 'alpha', role })
        expect(usable).toEqual(
          all.filter((it) => it.role === role && ['ONLINE', 'UNKNOWN'].includes(it.state)),
        )
        expect(why === null).toBe(usable.length > 0)
      }),
    )
  })
})

describe('leastBusy', () => {
  it('takes the one with the fewest connections, and each in turn among equals', () => {
    const [a, b, c] = [
      { active: 2, chosen: 1 },
      { active: 1, chosen: 3 },
      { active: 1, chosen: 2 },
    ]
    expect(leastBusy([a, b, c])).toBe(c)
    expect(leastBusy([a, b])).toBe(b)
    expect(leastBusy([])).toBeUndefined()
  })
})
