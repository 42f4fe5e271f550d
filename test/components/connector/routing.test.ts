import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leastBusy, mapOf, routeOf, routingOf, unwatched } from '../../../src/components/connector/routing.ts'
import type { RoutedDataSource, Writer } from '../../../src/contracts/routing.ts'
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

const map = (...datasources: readonly DataSourceEntry[]) => ({ services: [{ name: 'alpha', datasources }] })

const anySource = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  role: fc.constantFrom(...dataSourceRoles),
  state: fc.constantFrom(...dataSourceStates),
})
const anySources = fc
  .uniqueArray(anySource, { selector: ({ name }) => name })
  .map((sources) => sources.map(({ name, ...more }) => source(name, more)))

const mayBeUsed = ({ state }: DataSourceEntry): boolean => state === 'ONLINE' || state === 'UNKNOWN'

describe('routeOf', () => {
  const noWriter: Writer = { datasource: null, code: null, reason: null, hold: false }
  const routed = (writer: Partial<Writer>, ...datasources: readonly RoutedDataSource[]) => ({
    services: [{ name: 'alpha', writer: { ...noWriter, ...writer }, datasources }],
  })
  const ofWriter = (writer: Partial<Writer>, ...datasources: readonly RoutedDataSource[]) =>
    routeOf({ routing: routed(writer, ...datasources), service: 'alpha', role: 'primary' })
  const db1 = { ...source('db1', { role: 'primary' }), readable: false }
  const db2 = { ...source('db2'), readable: true }

  const problem = (datasources: readonly DataSourceEntry[], role: 'primary' | 'replica') =>
    routeOf({ routing: routingOf(map(...datasources)), service: 'alpha', role }).problem

  it('says why there is nowhere to go', () => {
    const primary = source('db1', { role: 'primary', state: 'SHUNNED' })
    expect(problem([primary], 'primary')).toBe('no primary of service alpha is ONLINE: db1 is SHUNNED')
    expect(problem([primary], 'replica')).toBe('the service alpha has no replica')
    expect(problem([source('db2')], 'primary')).toBe('the service alpha has no primary')
    const failed = [source('db2', { state: 'FAILED' }), source('db3', { state: 'OFFLINE' })]
    expect(problem(failed, 'replica')).toBe(
      'no replica of service alpha is ONLINE: db2 is FAILED, db3 is OFFLINE',
    )
    const late = routed(
      {},
      { ...source('db2', { state: 'FAILED' }), readable: false },
      { ...db2, readable: false },
    )
    expect(routeOf({ routing: late, service: 'alpha', role: 'replica' }).problem).toBe(
      'no replica of service alpha is readable: db2 is FAILED, db2 is ONLINE',
    )
    expect(ofWriter({}, db1).problem).toBe('the service alpha has no writer')
    const other = routeOf({ routing: routingOf(map()), service: 'beta', role: 'primary' })
    expect(other).toEqual({
      usable: [],
      problem: 'the services map has no service beta',
      isHeld: false,
      isFencing: false,
    })
  })

  it('leads writers to the writer that the manager names, whatever its role is', () => {
    expect(ofWriter({ datasource: 'db2' }, db1, db2)).toEqual({
      usable: [db2],
      problem: null,
      isHeld: false,
      isFencing: true,
    })
  })

  it('holds writers for a reason, in words that no terminal acts on', () => {
    const reason = 'two servers can be written to: db1\u001b[2J and db2.'
    expect(ofWriter({ code: 'two-writers', reason, hold: true }, db1, db2)).toEqual({
      usable: [],
      problem: 'two servers can be written to: db1\\x1b[2J and db2',
      isHeld: true,
      isFencing: true,
    })
  })

  it.each([
    ['with a code', { datasource: 'db1', code: 'two-writers' }, db1],
    ['that the service does not have', { datasource: 'db9' }, db1],
    ['that is FAILED', { datasource: 'db1' }, { ...db1, state: 'FAILED' }],
  ] as const)('leads nobody to a writer %s', (_, writer, datasource) => {
    expect(ofWriter(writer, datasource).usable).toEqual([])
  })

  it('goes to what is ONLINE or UNKNOWN in that role, to nothing else, and says a reason exactly where there is none', () => {
    fc.assert(
      fc.property(anySources, (all) => {
        const routing = routingOf(map(...all))
        const names = (role: 'primary' | 'replica') => {
          const route = routeOf({ routing, service: 'alpha', role })
          expect(route.problem === null).toBe(route.usable.length > 0)
          return route.usable.map(({ name }) => name)
        }
        const wanted = (role: 'primary' | 'replica') =>
          all.filter((it) => it.role === role && mayBeUsed(it)).map(({ name }) => name)
        expect(names('replica')).toEqual(wanted('replica'))
        expect(names('primary')).toEqual(wanted('primary').length === 1 ? wanted('primary') : [])
      }),
    )
  })
})

describe('unwatched', () => {
  const installed = (...datasources: readonly DataSourceEntry[]) => ({
    services: [{ name: 'alpha', datasources: datasources.map(({ state: _state, ...it }) => it) }],
  })

  it('writes to the one primary of a map', () => {
    const [service] = unwatched(installed(source('db1', { role: 'primary' }), source('db2'))).services
    expect(service?.writer).toEqual({ datasource: 'db1', code: null, reason: null, hold: false })
    expect(service?.datasources.map(({ state, readable }) => [state, readable])).toEqual([
      ['UNKNOWN', false],
      ['UNKNOWN', true],
    ])
  })

  it('writes to none of two primaries, and holds', () => {
    const primaries = [source('db1', { role: 'primary' }), source('db2', { role: 'primary' })]
    expect(unwatched(installed(...primaries)).services[0]?.writer).toEqual({
      datasource: null,
      code: 'two-writers',
      reason: 'the services map has more than one primary of service alpha: db1, db2',
      hold: true,
    })
  })
})

describe('mapOf', () => {
  it('returns the map that a routing was made of', () => {
    fc.assert(
      fc.property(anySources, (all) => {
        expect(mapOf(routingOf(map(...all)))).toEqual(map(...all))
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
