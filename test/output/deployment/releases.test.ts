import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { ReleaseFact } from '../../../src/deployment/facts/hostFacts.ts'
import { releasesText } from '../../../src/output/deployment/releases.ts'

const plain = { colour: false, width: Number.POSITIVE_INFINITY }

const release = (id: string, since?: string): ReleaseFact => ({
  id,
  turn: 1,
  node: '',
  nodeThere: true,
  ...(since === undefined ? {} : { since }),
})

describe('releasesText', () => {
  it('has a row for each release of each host, and marks the current one and the target', () => {
    const hosts = [
      {
        host: 'db1',
        releases: [
          release('0.3.0-cccccccccccc', '2026-11-21T22:10:00Z'),
          release('0.3.0-rc.1-bbbbbbbbbbbb', '2026-11-14T08:00:00Z'),
          release('0.1.0-aaaaaaaaaaaa'),
        ],
        current: '0.3.0-cccccccccccc',
        next: '0.3.0-rc.1-bbbbbbbbbbbb',
      },
      { host: 'db20', releases: [release('odd')], current: 'odd', next: undefined },
    ]
    expect(releasesText(hosts, plain)).toBe(
      `HOST  VERSION     DIGEST        CURRENT SINCE
db1   0.3.0       cccccccccccc  2026-11-21T22:10:00Z  current
db1   0.3.0-rc.1  bbbbbbbbbbbb  2026-11-14T08:00:00Z  target
db1   0.1.0       aaaaaaaaaaaa  unknown
db20  odd                       unknown               current
`,
    )
    expect(stripVTControlCharacters(releasesText(hosts, { ...plain, colour: true }))).toBe(
      releasesText(hosts, plain),
    )
  })

  it('merges the rows of many hosts with the same releases', () => {
    const [now, before] = ['0.2.0-bbbbbbbbbbbb', '0.1.0-aaaaaaaaaaaa']
    const hosts = Array.from({ length: 50 }, (_, index) => ({
      host: `db${index + 1}`,
      releases: [release(now, `2026-11-22T10:00:${10 + index}Z`), release(before, '2026-11-01T10:00:00Z')],
      current: now,
      next: before,
    }))
    expect(releasesText(hosts, plain)).toBe(
      `HOST          VERSION  DIGEST        CURRENT SINCE
all 50 hosts  0.2.0    bbbbbbbbbbbb  2026-11-22T10:00:10Z or later  current
all 50 hosts  0.1.0    aaaaaaaaaaaa  2026-11-01T10:00:00Z           target
`,
    )
    const odd = {
      host: 'db51',
      releases: [release(now, '2026-11-22T10:00:00Z')],
      current: now,
      next: undefined,
    }
    expect(releasesText([...hosts, odd], plain)).toBe(
      `HOST      VERSION  DIGEST        CURRENT SINCE
50 hosts  0.2.0    bbbbbbbbbbbb  2026-11-22T10:00:10Z or later  current
50 hosts  0.1.0    aaaaaaaaaaaa  2026-11-01T10:00:00Z           target
db51      0.2.0    bbbbbbbbbbbb  2026-11-22T10:00:00Z           current
50 hosts: db1, db2, db3, db4, db5, db6, db7, db8, db9, db10, db11, db12 and 38 more
`,
    )
  })
})
