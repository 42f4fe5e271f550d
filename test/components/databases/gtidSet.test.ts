import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  containsGtids,
  type GtidSet,
  gtidText,
  missingGtids,
  readMariadbGtids,
  readMysqlGtids,
  withoutLast,
} from '../../../src/components/databases/gtidSet.ts'

const uuids = ['3e11fa47-71ca-11e1-9e33-c80aa9429562', '73f86016-978b-11ee-ade5-8d2a2a562feb'] as const
const sources = [uuids[0], uuids[1], `${uuids[1]}:audit`]

/** A set as plain numbers by source, the form that everybody understands. */
type Plain = ReadonlyMap<string, ReadonlySet<number>>

const plain: fc.Arbitrary<Plain> = fc
  .array(fc.tuple(fc.constantFrom(...sources), fc.integer({ min: 1, max: 12 })), { maxLength: 30 })
  .map((pairs) => {
    const all = new Map<string, Set<number>>()
    for (const [source, number] of pairs) all.set(source, (all.get(source) ?? new Set()).add(number))
    return all
  })

/** Writes a set as MySQL does, but in any order and with ranges of one. */
const mysqlText = (set: Plain): string =>
  [...set].map(([source, numbers]) => `${source}:${[...numbers].join(':')}`).join(',\n')

const read = (text: string): GtidSet => {
  const set = readMysqlGtids(text)
  if (!set) throw new Error(`not a set: ${text}`)
  return set
}

const numbersOf = ({ ranges }: GtidSet): readonly string[] =>
  [...ranges]
    .flatMap(([source, all]) =>
      all.flatMap(([from, to]) =>
        Array.from({ length: to - from + 1 }, (_, index) => `${source} ${from + index}`),
      ),
    )
    .toSorted()

const plainNumbers = (set: Plain): readonly string[] =>
  [...set].flatMap(([source, all]) => [...all].map((it) => `${source} ${it}`)).toSorted()

describe('sets of GTIDs of MySQL', () => {
  it('are read as the numbers that stand in them', () => {
    fc.assert(
      fc.property(plain, (set) => {
        expect(numbersOf(read(mysqlText(set)))).toEqual(plainNumbers(set))
      }),
    )
  })

  it('lack exactly what the other has more', () => {
    fc.assert(
      fc.property(plain, plain, (one, other) => {
        const missing = missingGtids(read(mysqlText(one)), read(mysqlText(other)))
        const here = new Set(plainNumbers(other))
        const more = plainNumbers(one).filter((it) => !here.has(it))
        expect(numbersOf(missing)).toEqual(more)
        expect(containsGtids(read(mysqlText(other)), read(mysqlText(one)))).toBe(more.length === 0)
      }),
    )
  })

  it('are read in the form of the manual, with ranges, line feeds, capitals and tags', () => {
    const set = read(`${uuids[0].toUpperCase()}:1-3:5,\n${uuids[1]}:7:audit:1-2`)
    expect([...set.ranges]).toEqual([
      [uuids[0], [[1, 3], [5, 5]]], // biome-ignore format: one line per source
      [uuids[1], [[7, 7]]],
      [`${uuids[1]}:audit`, [[1, 2]]],
    ])
  })

  it.each([
    ['garbage'],
    [`${uuids[0]}`],
    [`${uuids[0]}:`],
    [`${uuids[0]}:3-1`],
    [`${uuids[0]}:1-99999999999999999999`],
    [`${uuids[0]}:1,`],
    [`${uuids[0]}:${'1:'.repeat(200_000)}1`],
    [`${uuids[0]}:${Array.from({ length: 10_001 }, (_, it) => 2 * it + 1).join(':')}`],
  ])('are not read from other text, such as %.60s', (text) => {
    expect(readMysqlGtids(text)).toBeNull()
  })

  it('are nothing on a server that has none', () => {
    expect(numbersOf(read(''))).toEqual([])
  })
})

describe('GTIDs of MariaDB', () => {
  const set = (written: string, replicated = ''): GtidSet => {
    const it = readMariadbGtids(written, replicated)
    if (!it) throw new Error('not a set')
    return it
  }

  it.each<[string, GtidSet, GtidSet, string]>([
    ['nothing more', set('0-1-35'), set('0-1-35'), ''],
    ['what came later from the same server', set('0-1-35'), set('0-1-30'), '0-1-35'],
    ['a write of its own', set('0-1-35,0-2-36'), set('0-1-40'), '0-2-36'],
    ['what the other replicated, too', set('0-1-35,0-2-30'), set('0-3-50', '0-1-35'), ''],
    ['another domain', set('0-1-35,7-2-1'), set('0-1-35', '0-1-35'), '7-2-1'],
    ['what it only replicated', set('', '0-1-35'), set('0-1-30'), '0-1-35'],
  ])('name %s', (_name, has, lacks, text) => {
    expect(gtidText(missingGtids(has, lacks))).toBe(text)
  })

  it('leave out the sources of which nothing is asked', () => {
    const missing = missingGtids(set('0-1-35,0-11-36,0-2-36'), set(''), (it) => it.endsWith('-1'))
    expect(gtidText(missing)).toBe('0-11-36, 0-2-36')
  })

  it('compare as their numbers do', () => {
    const list = fc.array(
      fc.record({
        domain: fc.integer({ min: 0, max: 1 }),
        server: fc.integer({ min: 1, max: 3 }),
        number: fc.integer({ min: 1, max: 9 }),
      }),
      { maxLength: 6 },
    )
    const text = (all: readonly { domain: number; server: number; number: number }[]) =>
      all.map((it) => `${it.domain}-${it.server}-${it.number}`).join(',')
    fc.assert(
      fc.property(list, list, list, (one, other, position) => {
        const missing = missingGtids(set(text(one)), set(text(other), text(position)))
        const isKnown = (it: (typeof one)[number], number: number): boolean =>
          [...other, ...position].some(
            (a) => a.domain === it.domain && a.server === it.server && a.number >= number,
          ) || position.some((a) => a.domain === it.domain && a.number >= number)
        for (const it of one) {
          const ranges = missing.ranges.get(`${it.domain}-${it.server}`) ?? []
          for (let number = 1; number <= it.number; number += 1) {
            const isMissing = ranges.some(([from, to]) => from <= number && number <= to)
            expect([it, number, isMissing]).toEqual([it, number, !isKnown(it, number)])
          }
        }
      }),
    )
  })

  it.each([
    ['garbage'],
    ['0-1'],
    ['0-1-35,'],
    ['0-1-99999999999999999999'],
    [Array.from({ length: 10_001 }, (_, it) => `0-${it}-1`).join(',')],
    ['0-1-1,'.repeat(100_000)],
  ])('are not read from other text, such as %.60s', (text) => {
    expect(readMariadbGtids(text)).toBeNull()
    expect(readMariadbGtids('', text)).toBeNull()
  })
})

describe('gtidText', () => {
  it('names the first few of many', () => {
    const all = read(`${uuids[0]}:1-3:5:7,${uuids[1]}:1`)
    expect(gtidText(all)).toBe(`${uuids[0]}:1-3, ${uuids[0]}:5, ${uuids[0]}:7 and 1 more`)
    expect(gtidText(all, 9)).not.toContain('more')
  })
})

describe('a set without the last numbers of a source', () => {
  const of = (text: string, count: number): readonly string[] =>
    numbersOf(withoutLast(readMariadbGtids(text) as GtidSet, count, (source) => source === '0-1'))

  it('has all others, and all of other sources', () => {
    expect(of('0-1-4,0-2-2', 0)).toEqual(['0-1 1', '0-1 2', '0-1 3', '0-1 4', '0-2 1', '0-2 2'])
    expect(of('0-1-4,0-2-2', 3)).toEqual(['0-1 1', '0-2 1', '0-2 2'])
    expect(of('0-1-4', 9)).toEqual([])
  })

  it('drops whole ranges', () => {
    const set = withoutLast(read(`${uuids[0]}:1-2:5:9`), 4, () => true)
    expect(numbersOf(set)).toEqual([`${uuids[0]} 1`, `${uuids[0]} 2`, `${uuids[0]} 5`])
  })
})
