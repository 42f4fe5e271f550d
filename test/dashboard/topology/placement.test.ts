import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dataSourceTiers, layOut, type Topology } from '../../../src/dashboard/topology/placement.ts'

const names = Array.from({ length: 60 }, (_, index) => `db${index}`)

const topologies: fc.Arbitrary<Topology> = fc
  .record({
    size: fc.integer({ min: 0, max: 60 }),
    connectors: fc.integer({ min: 0, max: 40 }),
    follows: fc.array(fc.option(fc.nat(59)), { minLength: 60, maxLength: 60 }),
    primaries: fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
    writer: fc.option(fc.nat(59)),
  })
  .map(({ size, connectors, follows, primaries, writer }) => ({
    datasources: names.slice(0, size).map((key, index) => ({
      key,
      name: key,
      isPrimary: primaries[index] ?? false,
      follows: names[follows[index] ?? -1] ?? null,
    })),
    connectors: names.slice(0, connectors),
    writer: names[writer ?? -1] ?? null,
  }))

const widths = fc.integer({ min: 280, max: 3600 })

const three: Topology = {
  datasources: [
    { key: 'db1', name: 'db1', isPrimary: true, follows: null },
    { key: 'db2', name: 'db2', isPrimary: false, follows: 'db1' },
    { key: 'db3', name: 'db3', isPrimary: false, follows: 'db2' },
  ],
  connectors: ['db1', 'db2'],
  writer: 'db1',
}

describe('the picture of a service', () => {
  it('shows every connector and data source once', () => {
    fc.assert(
      fc.property(topologies, widths, (topology, width) => {
        const keys = layOut(topology, width).nodes.map(({ kind, key }) => `${kind} ${key}`)
        expect(new Set(keys).size).toBe(keys.length)
        expect(keys.filter((key) => /^(datasource|connector) /.test(key)).sort()).toEqual(
          [
            ...topology.datasources.map(({ key }) => `datasource ${key}`),
            ...topology.connectors.map((key) => `connector ${key}`),
          ].sort(),
        )
      }),
    )
  })

  it('lays nothing upon another and nothing outside', () => {
    fc.assert(
      fc.property(topologies, widths, (topology, width) => {
        const { nodes, frames, height } = layOut(topology, width)
        for (const it of [...nodes, ...frames]) {
          expect(it.x).toBeGreaterThanOrEqual(0)
          expect(it.x + it.width).toBeLessThanOrEqual(width + 0.2)
          expect(it.y + it.height).toBeLessThanOrEqual(height)
        }
        for (const [index, one] of nodes.entries()) {
          for (const other of nodes.slice(index + 1)) {
            const apart =
              one.x + one.width <= other.x ||
              other.x + other.width <= one.x ||
              one.y + one.height <= other.y ||
              other.y + other.height <= one.y
            if (!apart) expect.fail(`${one.kind} ${one.key} lies upon ${other.kind} ${other.key}`)
          }
        }
      }),
    )
  })

  it('draws lines between numbers alone', () => {
    fc.assert(
      fc.property(topologies, widths, (topology, width) => {
        for (const { path } of layOut(topology, width).edges) expect(path).toMatch(/^M[-\d. MC]+$/)
      }),
    )
  })

  it('goes from clients over connectors to the primary and on to whoever follows', () => {
    const { nodes, edges } = layOut(three, 800)
    const tops = new Map<string, number>(nodes.map(({ kind, key, y }) => [`${kind} ${key}`, y]))
    const order = ['clients ', 'connector db1', 'datasource db1', 'datasource db2', 'datasource db3']
    expect(order.map((key) => tops.get(key))).toEqual([2, 112, 222, 332, 442])
    expect(edges.map(({ kind, from, to }) => `${kind} ${from} ${to}`)).toEqual([
      'clients  db1',
      'clients  db2',
      'writes db1 db1',
      'writes db2 db1',
      'follows db1 db2',
      'follows db2 db3',
    ])
  })

  it('leads the connectors nowhere while there is no writer', () => {
    const { nodes, edges } = layOut({ ...three, writer: null }, 800)
    expect(nodes.map(({ kind }) => kind)).toContain('no-writer')
    expect(edges.filter(({ kind }) => kind === 'writes').map(({ to }) => to)).toEqual(['', ''])
  })

  it('draws many small, in a frame that their lines end at', () => {
    const many = names.map((key, index) => ({
      key,
      name: key,
      isPrimary: index === 0,
      follows: index === 0 ? null : 'db0',
    }))
    const { nodes, edges, frames } = layOut({ datasources: many, connectors: [], writer: 'db0' }, 1200)
    expect(nodes.filter(({ compact }) => compact)).toHaveLength(59)
    expect(frames.map(({ kind, count }) => [kind, count])).toEqual([['datasource', 59]])
    expect(edges).toHaveLength(1)
    const [frame] = frames
    for (const it of nodes.filter(({ compact }) => compact)) {
      // The label of the frame is above its first row.
      expect(it.y).toBeGreaterThanOrEqual((frame?.y ?? 0) + 20)
      expect(it.y + it.height).toBeLessThan((frame?.y ?? 0) + (frame?.height ?? 0))
    }
  })
})

describe('the tiers of data sources', () => {
  const source = (key: string, follows: string | null, isPrimary = false) => ({
    key,
    name: key,
    isPrimary,
    follows,
  })
  const tiers = (...datasources: Topology['datasources']) =>
    dataSourceTiers({ datasources, connectors: [], writer: null })

  it('put who follows nobody and is no primary after the primaries', () => {
    expect(tiers(source('p', null, true), source('alone', null), source('r', 'p'))).toEqual([
      ['p'],
      ['alone', 'r'],
    ])
  })

  it('take servers that follow each other', () => {
    expect(tiers(source('a', 'b'), source('b', 'a')).flat().sort()).toEqual(['a', 'b'])
  })

  it('take one that follows a server outside', () => {
    expect(tiers(source('a', 'elsewhere', true), source('b', 'a'))).toEqual([['a'], ['b']])
  })
})
