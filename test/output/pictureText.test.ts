import { describe, expect, it } from 'vitest'
import { type ClusterKnowledge, pictureOf } from '../../src/client/clusterPicture.ts'
import { joinReports } from '../../src/client/clusterView.ts'
import { lateReasons } from '../../src/contracts/replicaLag.ts'
import { pictureText } from '../../src/output/pictureText.ts'
import { blockOf } from '../support/pages.ts'
import { onlineConnector, wellHost, wellKnown } from '../support/pictureValues.ts'
import { primary, replica, report, service, shunned, silent, withoutWriter } from './clusterViews.ts'

const text = (
  changes: Partial<ClusterKnowledge>,
  layout = { colour: false, width: Number.POSITIVE_INFINITY },
): string => {
  const known = wellKnown(changes)
  return pictureText(
    { picture: pictureOf(known), views: joinReports(known.reports, known.map) },
    layout,
  ).join('\n')
}

const astray = {
  ...replica,
  ...{ code: 'follows-other', reason: 'It follows db3, not the primary db1. Let it follow db1.' },
}
const db3 = { ...replica, name: 'db3', host: '10.0.0.13', appliedLatency: 40, reason: lateReasons.read }
const troubled: Partial<ClusterKnowledge> = {
  reports: [report('db1', service(primary, astray, db3)), silent('db4')],
  hosts: [
    wellHost('db1'),
    wellHost('db2', {
      connector: { ...onlineConnector, value: 'ONHOLD', held: 3 },
      release: '1.1.0-fedcba987654',
    }),
    wellHost('db3', {
      components: wellHost('db3').components.map((one) =>
        one.component === 'replicator' ? { ...one, state: 'silent', reason: 'connection refused' } : one,
      ),
    }),
    wellHost('db4', { state: 'unreachable', detail: 'no route to db4', components: [], connector: null }),
  ],
}

describe('pictureText', () => {
  it('shows a cluster that is well in a few lines', () => {
    expect(text({})).toMatchInlineSnapshot(`
      "cluster alpha-cluster: 2 hosts, release 1.0.0-0123456789ab
      alpha: writer db1, policy AUTOMATIC, failover automatic

      HOST  ROLE     STATE   LAG  CONNECTOR  CLIENTS  COMPONENTS
      db1   primary  ONLINE  -    ONLINE     12       ready
      db2   replica  ONLINE  3 s  ONLINE     12       ready

      OK"
    `)
  })

  it('shows what is not well on each host, every problem in words, and the verdict last', () => {
    expect(text(troubled, { colour: false, width: 100 })).toMatchInlineSnapshot(`
      "cluster alpha-cluster: 4 hosts, release 1.0.0-0123456789ab
      db2: release 1.1.0-fedcba987654
      alpha: writer db1, policy AUTOMATIC, failover automatic

      HOST  ROLE     STATE        LAG   CONNECTOR  CLIENTS  HELD  COMPONENTS
      db1   primary  ONLINE       -     ONLINE     12       -     ready
      db2   replica  ONLINE       3 s   ONHOLD     12       3     ready
      db3   replica  ONLINE       40 s  ONLINE     12       -     replicator silent
      db4   -        unreachable  -     -          -        -     -

      db4 is unreachable: no route to db4
      replica db2 follows db3, not the primary db1 (muster explain follows-other)
        It follows db3, not the primary db1. Let it follow db1.
      replica db3 is 40 s behind
      replicator of db3 does not respond: connection refused
      connector of db2 is on hold, 3 clients wait

      DEGRADED: db4 is unreachable: no route to db4, and 4 more"
    `)
  })

  it('fits 80 columns, and 40', () => {
    for (const width of [80, 40]) {
      const lines = text(troubled, { colour: false, width }).split('\n')
      expect(lines.filter((line) => line.length > width)).toEqual([])
    }
    expect(text(troubled, { colour: false, width: 80 })).toMatchInlineSnapshot(`
      "cluster alpha-cluster: 4 hosts, release 1.0.0-0123456789ab
      db2: release 1.1.0-fedcba987654
      alpha: writer db1, policy AUTOMATIC, failover automatic

      HOST  ROLE     STATE        LAG   CONNECTOR  CLIENTS  HELD  COMPONENTS
      db1   primary  ONLINE       -     ONLINE     12       -     ready
      db2   replica  ONLINE       3 s   ONHOLD     12       3     ready
      db3   replica  ONLINE       40 s  ONLINE     12       -     replicator silent
      db4   -        unreachable  -     -          -        -     -

      db4 is unreachable: no route to db4
      replica db2 follows db3, not the primary db1 (muster explain follows-other)
        It follows db3, not the primary db1. Let it follow db1.
      replica db3 is 40 s behind
      replicator of db3 does not respond: connection refused
      connector of db2 is on hold, 3 clients wait

      DEGRADED: db4 is unreachable: no route to db4, and 4 more"
    `)
  })

  it('keeps its lines whole on a terminal that does not know its width', () => {
    expect(text(troubled, { colour: false, width: 0 })).toBe(text(troubled))
  })

  it('shows the same in colour', () => {
    const coloured = text(troubled, { colour: true, width: 100 })
    expect(coloured).toContain('\u001b[33mDEGRADED\u001b[39m')
    expect(coloured).toContain('\u001b[31munreachable\u001b[39m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours themselves.
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(text(troubled, { colour: false, width: 100 }))
  })

  it('shows who disagrees, with several services', () => {
    const beta = { ...service({ ...db3, appliedLatency: 0, reason: null }), name: 'beta' }
    expect(
      text({
        reports: [
          report('db1', service(primary, replica), beta),
          report('db2', withoutWriter(primary, shunned), beta),
        ],
      }),
    ).toMatchInlineSnapshot(`
      "cluster alpha-cluster: 2 hosts, release 1.0.0-0123456789ab
      alpha: writer db1, policy AUTOMATIC, failover automatic
      beta: writer db1, policy AUTOMATIC, failover automatic

      HOST  SERVICE  ROLE     STATE   LAG  CONNECTOR  CLIENTS  COMPONENTS
      db1   alpha    primary  ONLINE  -    ONLINE     12       ready
      db2   alpha    replica  ONLINE  3 s  ONLINE     12       ready
      db3   beta     replica  ONLINE  0 s  -          -        -

      managers disagree on the writer and db2 of alpha
        managers disagree on the writer of alpha: db1 says db1; db2 says none: db1 and db2 can both be written (two-writers)
        managers disagree on db2: db1 says replica ONLINE; db2 says replica SHUNNED: an operator repairs it

      DEGRADED: managers disagree on the writer and db2 of alpha"
    `)
  })

  it('shows a cluster without databases, and one of which nothing is known', () => {
    const bare = (name: string) => wellHost(name, { connector: null, clients: null })
    expect(text({ reports: [report('db1')], hosts: [bare('db1')] })).toMatchInlineSnapshot(`
      "cluster alpha-cluster: 1 host, release 1.0.0-0123456789ab

      HOST  STATE  COMPONENTS
      db1   up     ready

      OK"
    `)
    expect(text({ reports: [], hosts: [] })).toMatchInlineSnapshot(`
      "cluster alpha-cluster: 0 hosts

      OK"
    `)
  })

  it('is what the guide shows', () => {
    const late = { ...db3, appliedLatency: 40, reason: lateReasons.read }
    const connector = (active: number) => ({ connector: { ...onlineConnector, active } })
    const release = { release: '0.1.0-7d0c19e2a4b5' }
    expect(
      `${text({
        name: 'alpha',
        reports: [report('db1', service(primary, { ...replica, appliedLatency: 0 }, late))],
        hosts: [
          wellHost('db1', release),
          wellHost('db2', {
            ...release,
            connector: { ...onlineConnector, active: 4, held: 3, value: 'ONHOLD' },
          }),
          wellHost('db3', { ...release, ...connector(7) }),
        ],
      })}\n`,
    ).toBe(blockOf('docs/guide/operate.md', 'text'))
  })

  it('names the switch that clients wait for', () => {
    const writer = {
      datasource: null,
      code: null,
      reason: null,
      hold: true,
      switching: { from: 'db1', to: 'db2' },
    }
    expect(text({ reports: [report('db1', { ...service(primary, replica), writer })] })).toContain(
      'alpha: switching from db1 to db2, policy AUTOMATIC',
    )
  })
})
