import { describe, expect, it } from 'vitest'
import { type ClusterKnowledge, pictureOf } from '../../src/client/clusterPicture.ts'
import type { SeenService } from '../../src/client/clusterView.ts'
import { graphMermaid } from '../../src/output/graph/graphMermaid.ts'
import { graphText } from '../../src/output/graph/graphText.ts'
import { type Topology, topologyOf } from '../../src/output/graph/topology.ts'
import { onlineConnector, wellHost, wellKnown } from '../support/pictureValues.ts'
import { primary, replica, report, service, withoutWriter } from './clusterViews.ts'

const relay = { ...replica, name: 'db3', host: '10.0.0.13', role: 'relay' } as const
const below = { ...replica, name: 'db4', host: '10.0.0.14', appliedLatency: 7, follows: 'db3' }
const chain = service(below, replica, relay, primary)

const live = (seen: SeenService, changes: Partial<ClusterKnowledge> = {}): Topology =>
  topologyOf(pictureOf(wellKnown({ reports: [report('db1', seen)], ...changes })), true)

const app = wellHost('app1', { connector: { ...onlineConnector, value: 'ONHOLD', active: 1, held: 3 } })
const idle = wellHost('web1', { connector: null, clients: null })
const full = live(chain, { hosts: [wellHost('db1'), app, idle] })

/** Names of hosts are checked by their schema; this is what would happen if one were not. */
const hostile = `"]<script>alert('1')</script>&\u001b[31m`

describe('the topology', () => {
  it('as text has each data source below the one that it follows, and connectors with their clients', () => {
    expect(graphText(full)).toMatchInlineSnapshot(`
      "cluster alpha-cluster

      alpha
        db1        10.0.0.11:3306  primary ONLINE
        ├─ db2     10.0.0.12:3306  replica ONLINE, 3 s behind
        └─ db3     10.0.0.13:3306  relay ONLINE, 3 s behind
           └─ db4  10.0.0.14:3306  replica ONLINE, 7 s behind

        connectors
          db1   127.0.0.1:9999  ONLINE, 12 clients
          app1  127.0.0.1:9999  ONHOLD, 1 client, 3 held

      other hosts: web1
      "
    `)
  })

  it('as Mermaid has an arrow for each of these', () => {
    expect(graphMermaid(full)).toMatchInlineSnapshot(`
      "%% cluster alpha-cluster
      flowchart LR
        subgraph n1["alpha"]
          n2[("db1<br>primary ONLINE<br>10.0.0.11#58;3306")]
          n3[("db2<br>replica ONLINE, 3 s behind<br>10.0.0.12#58;3306")]
          n2 -->|replicates| n3
          n4[("db3<br>relay ONLINE, 3 s behind<br>10.0.0.13#58;3306")]
          n2 -->|replicates| n4
          n5[("db4<br>replica ONLINE, 7 s behind<br>10.0.0.14#58;3306")]
          n4 -->|replicates| n5
          n6(["connector of db1<br>127.0.0.1#58;9999<br>ONLINE, 12 clients"])
          n6 -->|writes| n2
          n7(["connector of app1<br>127.0.0.1#58;9999<br>ONHOLD, 1 client, 3 held"])
          n7 -->|writes| n2
        end
        n8["web1"]
      "
    `)
  })

  it('says that a service has no writer, and draws no arrow to one', () => {
    const without = live(withoutWriter(primary, replica))
    expect(graphText(without)).toContain('\nalpha (no writer)\n')
    expect(graphMermaid(without)).not.toContain('writes')
  })

  it('shows data sources that follow each other, or nobody of the service, once each', () => {
    const circle = service(
      { ...replica, name: 'db1', follows: 'db2' },
      { ...replica, name: 'db2', follows: 'db1' },
      { ...replica, name: 'db3', follows: 'db2' },
      { ...replica, name: 'db4', follows: 'db4' },
      { ...replica, name: 'db5', follows: 'elsewhere' },
    )
    const text = graphText(live(circle, { hosts: [] }))
    expect(text.match(/db\d(?= )/g)).toEqual(['db1', 'db2', 'db3', 'db4', 'db5'])
    expect(text).toContain('└─ db3')
  })

  it('lets no name become markup', () => {
    const bad = live(service({ ...primary, name: hostile, host: hostile }), { hosts: [wellHost(hostile)] })
    const text = graphMermaid(bad)
    expect(text).not.toContain('<script')
    expect(text).not.toContain('\u001b')
    expect(text).not.toContain('"]<')
  })
})
