import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProblemError } from '../../src/api/problemError.ts'
import { addDataSource, addService, type EditedMap, replaceMap } from '../../src/components/editMap.ts'
import type { MapDataSource, MapService, ServicesMap } from '../../src/contracts/servicesMap.ts'
import { dataSourceRoles } from '../../src/contracts/servicesMap.ts'

const source = (name: string, more: Partial<MapDataSource> = {}): MapDataSource => ({
  name,
  host: `10.0.0.${name.slice(2)}`,
  port: 3306,
  role: 'replica',
  ...more,
})
const db1 = source('db1', { role: 'primary' })
const db2 = source('db2')
const alpha: MapService = { name: 'alpha', datasources: [db1, db2] }
const map: ServicesMap = { services: [alpha] }

const refusalOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof ProblemError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'none'
}

describe('a whole new map', () => {
  it.each<[string, MapService[], string]>([
    ['a service twice', [alpha, alpha], 'The map contains the service alpha more than once.'],
    [
      'a data source twice',
      [{ name: 'alpha', datasources: [db2, source('db2', { host: 'b' })] }],
      'The service alpha contains the data source db2 more than once.',
    ],
    [
      'an address twice',
      [{ name: 'alpha', datasources: [db1, { ...db2, host: '10.0.0.1' }] }],
      'Two data sources of the service alpha have the address 10.0.0.1 port 3306.',
    ],
    [
      'two primaries',
      [{ name: 'alpha', datasources: [db1, { ...db2, role: 'primary' }] }],
      'The service alpha has more than one primary: db1, db2.',
    ],
  ])('rejects a map with %s', (_name, services, detail) => {
    expect(refusalOf(() => replaceMap({ services: [] }, { services }))).toBe(
      `invalid-map: ${detail} Nothing was changed.`,
    )
  })

  it('accepts the same names and addresses in several services, and a service without a primary', () => {
    const services = [alpha, { ...alpha, name: 'beta' }, { name: 'gamma', datasources: [db2] }]
    expect(refusalOf(() => replaceMap({ services: [] }, { services }))).toBe('none')
  })
})

describe('adding to a services map', () => {
  it('adds a service with and without data sources', () => {
    expect(addService(map, { name: 'beta' }).map.services).toEqual([alpha, { name: 'beta', datasources: [] }])
    const beta = { name: 'beta', datasources: [db1] }
    expect(addService(map, beta)).toEqual({ map: { services: [alpha, beta] }, changed: true })
  })

  it('changes nothing if the same entry exists, in any order', () => {
    expect(addService(map, { name: 'alpha', datasources: [db2, db1] })).toEqual({ map, changed: false })
    expect(addDataSource(map, { service: 'alpha', ...db2 })).toEqual({ map, changed: false })
  })

  it('rejects other content under the same name, and an unknown service', () => {
    expect(refusalOf(() => addService(map, { name: 'alpha' }))).toBe(
      'already-exists: The service alpha already exists with other data sources. Nothing was changed.',
    )
    expect(refusalOf(() => addDataSource(map, { service: 'alpha', ...db2, role: 'archive' }))).toBe(
      'already-exists: The data source db2 already exists as replica at 10.0.0.2 port 3306. Nothing was changed.',
    )
    expect(refusalOf(() => addDataSource(map, { service: 'beta', ...db2 }))).toBe(
      'unknown-service: The map has no service beta. Add it with addDataService first.',
    )
    const second = { service: 'alpha', ...source('db3', { role: 'primary' }) }
    expect(refusalOf(() => addDataSource(map, second))).toMatch(/^invalid-map: .* db1, db3/)
  })
})

describe('replaceMap', () => {
  it('keeps the map if the new one has the same content in another order', () => {
    const other: ServicesMap = { services: [{ name: 'alpha', datasources: [db2, db1] }] }
    expect(replaceMap(map, other)).toEqual({ map, changed: false })
  })

  it.each<[string, ServicesMap]>([
    ['a port', { services: [{ ...alpha, datasources: [db1, { ...db2, port: 3307 }] }] }],
    ['a role', { services: [{ ...alpha, datasources: [db1, { ...db2, role: 'relay' }] }] }],
    ['a host', { services: [{ ...alpha, datasources: [db1, { ...db2, host: 'db2' }] }] }],
    ['a missing data source', { services: [{ ...alpha, datasources: [db1] }] }],
    ['having no services', { services: [] }],
  ])('replaces the map if the new one differs in %s', (_name, next) => {
    expect(replaceMap(map, next)).toEqual({ map: next, changed: true })
  })
})

// Few names and addresses, so that the same ones meet.
const sources = fc.record({
  name: fc.constantFrom('db1', 'db2', 'db3'),
  host: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3'),
  port: fc.constantFrom(3306, 3307),
  role: fc.constantFrom(...dataSourceRoles),
})
const services = fc.record({
  name: fc.constantFrom('alpha', 'beta'),
  datasources: fc.array(sources, { maxLength: 3 }),
})
const edits: fc.Arbitrary<(map: ServicesMap) => EditedMap> = fc.oneof(
  fc
    .record({ services: fc.array(services, { maxLength: 3 }) })
    .map((next) => (it: ServicesMap) => replaceMap(it, next)),
  services.map((next) => (it: ServicesMap) => addService(it, next)),
  fc.tuple(fc.constantFrom('alpha', 'beta'), sources).map(
    ([service, next]) =>
      (it: ServicesMap) =>
        addDataSource(it, { service, ...next }),
  ),
)

describe('any sequence of changes of a services map', () => {
  it('leaves a consistent map, has no effect when repeated, and never alters the previous map', () => {
    let changes = 0
    let refusals = 0
    fc.assert(
      fc.property(fc.array(edits, { maxLength: 12 }), (row) => {
        let current: ServicesMap = { services: [] }
        for (const edit of row) {
          const before = structuredClone(current)
          let edited: EditedMap
          try {
            edited = edit(current)
          } catch (error) {
            expect(error).toBeInstanceOf(ProblemError)
            expect(current).toEqual(before)
            refusals += 1
            continue
          }
          expect(current).toEqual(before)
          expect(refusalOf(() => replaceMap({ services: [] }, edited.map))).toBe('none')
          expect(edit(edited.map)).toEqual({ map: edited.map, changed: false })
          expect(edited.changed).toBe(edited.map !== current)
          if (edited.changed) changes += 1
          current = edited.map
        }
      }),
      { numRuns: 500 },
    )
    expect([changes > 100, refusals > 100]).toEqual([true, true])
  })

  it('adds exactly what was requested', () => {
    fc.assert(
      fc.property(sources, (next) => {
        fc.pre(next.name === 'db3' && next.role !== 'primary')
        fc.pre(![db1, db2].some(({ host, port }) => host === next.host && port === next.port))
        const { map: grown } = addDataSource(map, { service: 'alpha', ...next })
        expect(grown.services).toEqual([{ name: 'alpha', datasources: [db1, db2, next] }])
      }),
    )
  })
})
