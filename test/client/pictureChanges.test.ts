import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pictureOf } from '../../src/client/clusterPicture.ts'
import { pictureChanges } from '../../src/client/pictureChanges.ts'
import type { ClusterPicture } from '../../src/contracts/clusterPicture.ts'
import type { DashboardEvent } from '../../src/contracts/dashboard.ts'
import { lateReasons } from '../../src/contracts/replicaLag.ts'
import { primary, replica, report, service } from '../output/clusterViews.ts'
import { anyKnowledge, wellHost, wellKnown } from '../support/pictureValues.ts'

const time = '2026-01-02T03:04:05.000Z'

/** Puts a thing in the place of the one with the same key, or last. */
function put<Thing>(things: readonly Thing[], thing: Thing, keyOf: (it: Thing) => string): readonly Thing[] {
  const index = things.findIndex((it) => keyOf(it) === keyOf(thing))
  return index === -1 ? [...things, thing] : things.with(index, thing)
}

/** Applies an event as a page does. */
function applied(picture: ClusterPicture, event: DashboardEvent): ClusterPicture {
  const { services, datasources, hosts } = picture
  const nameOf = (it: { readonly name: string }) => it.name
  const keyOf = (it: { readonly service: string; readonly name: string }) => `${it.service}/${it.name}`
  switch (event.kind) {
    case 'verdict':
      return { ...picture, verdict: event.verdict }
    case 'service':
      return { ...picture, services: put(services, event.service, nameOf) }
    case 'datasource':
      return { ...picture, datasources: put(datasources, event.datasource, keyOf) }
    case 'host':
      return { ...picture, hosts: put(hosts, event.host, nameOf) }
    case 'removed': {
      const { what, name, service = '' } = event
      if (what === 'service') return { ...picture, services: services.filter((it) => it.name !== name) }
      if (what === 'host') return { ...picture, hosts: hosts.filter((it) => it.name !== name) }
      const key = keyOf({ service, name })
      return { ...picture, datasources: datasources.filter((it) => keyOf(it) !== key) }
    }
    default:
      return picture
  }
}

describe('pictureChanges', () => {
  it('returns events that make the later picture out of the earlier one', () => {
    fc.assert(
      fc.property(anyKnowledge, anyKnowledge, (one, other) => {
        const [before, after] = [pictureOf(one), pictureOf(other)]
        expect(pictureChanges({ before, after, time }).reduce(applied, before)).toEqual(after)
        expect(pictureChanges({ before: after, after, time })).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('sends only what changed, as a whole, and the verdict last', () => {
    const before = pictureOf(wellKnown())
    const late = { ...replica, appliedLatency: 40, reason: lateReasons.read }
    const reports = [report('db1', service(primary, late)), report('db2', service(primary, late))]
    const after = pictureOf(wellKnown({ reports }))
    expect(pictureChanges({ before, after, time })).toEqual([
      { kind: 'datasource', time, cluster: 'alpha-cluster', datasource: after.datasources[1] },
      { kind: 'verdict', time, cluster: 'alpha-cluster', verdict: after.verdict },
    ])
  })

  it('removes what moved before it comes again', () => {
    const hosts = [wellHost('db1'), wellHost('db2')]
    const before = pictureOf(wellKnown({ hosts }))
    const after = pictureOf(wellKnown({ hosts: hosts.toReversed() }))
    const events = pictureChanges({ before, after, time })
    expect(events.map((event) => event.kind)).toEqual(['removed', 'removed', 'host', 'host'])
  })
})
