import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linkTo, type Place, parsePlace } from '../../../src/dashboard/state/place.ts'

const name = fc.string({ minLength: 1, unit: 'grapheme' })

const places: fc.Arbitrary<Exclude<Place, { readonly page: 'unknown' }>> = fc.oneof(
  fc.constant({ page: 'clusters' as const }),
  fc.record({ page: fc.constantFrom('cluster', 'users', 'certificates', 'runs'), cluster: name }),
  fc.record({ page: fc.constant('host' as const), cluster: name, host: name }),
  fc.record({ page: fc.constant('switch' as const), cluster: name, service: name }),
  fc.record({ page: fc.constant('explain' as const), code: name }),
  fc.record({ page: fc.constant('explain' as const), cluster: name, code: name }),
)

describe('a place of the page', () => {
  it('is the one that its link was written for, whatever its names', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(parsePlace(linkTo(place))).toEqual(place)
      }),
    )
  })

  it('is written in characters that mean nothing in a URL or in markup', () => {
    expect(linkTo({ page: 'host', cluster: 'a/b', host: '<b>"x" ?#&' })).toBe(
      '#/cluster/a%2Fb/host/%3Cb%3E%22x%22%20%3F%23%26',
    )
  })

  it.each(['', '#', '#/'])('is the clusters for %j', (fragment) => {
    expect(parsePlace(fragment)).toEqual({ page: 'clusters' })
  })

  it.each([
    '#/x',
    '#/cluster',
    '#/cluster/',
    '#/cluster/a/',
    '#/cluster/a/x',
    '#/cluster/a/host',
    '#/cluster/a/host/',
    '#/cluster/a/host/b/c',
    '#/cluster/%E0',
    '#/explain/a/b',
    '#/cluster/a/explain',
  ])('is unknown for %j', (fragment) => {
    expect(parsePlace(fragment)).toEqual({ page: 'unknown' })
  })
})
