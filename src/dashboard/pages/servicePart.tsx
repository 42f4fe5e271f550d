import { useComputed } from '@preact/signals'
import { dataSourceLevel, failoverWord } from '../../contracts/clusterPicture.ts'
import { ActionsButton } from '../actions/actionsButton.tsx'
import { LongTable, shortList } from '../parts/longTable.tsx'
import { Pill } from '../parts/pill.tsx'
import { HostLink } from '../parts/problems.tsx'
import type { Column } from '../parts/table.tsx'
import { Age } from '../parts/when.tsx'
import { type ClusterState, dataSourceKey, hostOf } from '../state/clusters.ts'
import { linkTo } from '../state/place.ts'
import { hasPage } from '../state/session.ts'
import { connectorSigns, dataSourceSigns, taskSigns } from '../text/signs.ts'
import { shown } from '../text/words.ts'
import { LagLine } from '../topology/lagLine.tsx'
import { connectorHosts, orderedDataSources } from '../topology/topologyOf.ts'
import { TopologyPicture } from '../topology/topologyPicture.tsx'

type Props = { readonly cluster: ClusterState; readonly service: string }

/** One service: policy and writer, its picture, its data sources and its connectors. */
export function ServicePart({ cluster, service }: Props) {
  const id = `service-${encodeURIComponent(service)}`
  return (
    <section class="card service" aria-labelledby={id}>
      <header class="bar">
        <h2 id={id}>Service {shown(service)}</h2>
        <ServiceFacts cluster={cluster} service={service} />
        <ActionsButton target={{ kind: 'service', cluster: cluster.name, service }} />
      </header>
      <TaskLine cluster={cluster} service={service} />
      <TopologyPicture cluster={cluster} service={service} />
      <div class="tables">
        <DataSources cluster={cluster} service={service} />
        <Connectors cluster={cluster} service={service} />
      </div>
    </section>
  )
}

function ServiceFacts({ cluster, service }: Props) {
  const it = cluster.services.get(service)
  if (it === undefined) return null
  return (
    <p class="grow inline">
      <span>
        Writer <strong>{it.writer?.datasource == null ? 'none' : shown(it.writer.datasource)}</strong>
      </span>
      <span>
        Policy <strong>{it.policy ?? 'unknown'}</strong>
      </span>
      {it.failover && (
        <span title={it.failover.reason ?? undefined}>
          Failover <strong>{failoverWord(it.failover)}</strong>
        </span>
      )}
      {!it.managersAgree && <span class="warn">The managers disagree</span>}
    </p>
  )
}

/** The switch that is under way, or the last one, with its page. */
function TaskLine({ cluster, service }: Props) {
  const task = cluster.services.get(service)?.task ?? null
  if (task === null) return null
  return (
    <p class="task inline">
      <Pill sign={taskSigns[task.state]} />
      <span>
        {task.state === 'in_progress' ? `Switch of the primary: ${task.step}` : 'Last switch of the primary'}
        {', '}
        <Age since={task.endedAt ?? task.startedAt} /> {task.endedAt === null ? 'so far' : 'ago'}
      </span>
      <a href={linkTo({ page: 'switch', cluster: cluster.name, service })}>Show the switch</a>
    </p>
  )
}

/** Joins names; in a list that is too long to be seen as a whole, those in trouble come first. */
function troubledFirst<Thing extends { readonly name: string }>(
  all: readonly Thing[],
  isTroubled: (thing: Thing) => boolean,
): string {
  const isLong = all.length > shortList
  const ordered = isLong ? [...all.filter(isTroubled), ...all.filter((it) => !isTroubled(it))] : all
  return ordered.map(({ name }) => name).join('\n')
}

const dataSourceColumns: readonly Column[] = [
  { title: 'Data source' },
  { title: 'Role' },
  { title: 'State' },
  { title: 'Follows' },
  { title: 'Lag, last 10 minutes' },
  { title: 'Connections', kind: 'number' },
  { title: 'Actions', kind: 'actions' },
]

function DataSources({ cluster, service }: Props) {
  const keys = useComputed(() => {
    const found = cluster.services.get(service)
    if (found === undefined) return ''
    const ordered = orderedDataSources({ service: found, datasources: cluster.datasources.all() })
    return troubledFirst(ordered, (it) => dataSourceLevel(it) !== 'ok' || !it.managersAgree)
  })
  if (keys.value === '') return null
  return (
    <LongTable
      noun="data source"
      label={`Data sources of ${shown(service)}`}
      columns={dataSourceColumns}
      keys={keys.value.split('\n')}
      row={(name) => dataSourceCells(cluster, service, name)}
    />
  )
}

function dataSourceCells(cluster: ClusterState, service: string, name: string) {
  const key = dataSourceKey(service, name)
  const it = cluster.datasources.get(key)
  if (it === undefined) return []
  const host = hostOf(cluster, it)
  return [
    <>
      {shown(name)}
      <span class="sub">
        {host !== undefined && host !== name && (
          <>
            <HostLink cluster={cluster.name} host={host} />{' '}
          </>
        )}
        {shown(it.host)}:{it.port}
      </span>
    </>,
    it.role,
    <>
      <Pill sign={dataSourceSigns[it.state]} />
      {it.since !== null && (
        <span class="sub">
          for <Age since={it.since} />
          {it.by !== null && `, by ${shown(it.by)}`}
        </span>
      )}
      {it.reason !== null && <span class="sub reason">{shown(it.reason)}</span>}
      {it.code !== null && (
        <a class="sub" href={linkTo({ page: 'explain', cluster: cluster.name, code: it.code })}>
          Explain {it.code}
        </a>
      )}
      {!it.managersAgree && <span class="sub warn">The managers disagree</span>}
    </>,
    it.follows === null ? <span class="muted">nobody</span> : shown(it.follows),
    it.role === 'primary' ? (
      <span class="muted">–</span>
    ) : (
      <span class="lag">
        <span>{it.appliedLatency === null ? 'not known' : `${it.appliedLatency} s`}</span>
        <LagLine cluster={cluster} of={key} width={120} height={22} />
      </span>
    ),
    it.connections === null ? (
      <span class="muted">–</span>
    ) : (
      <span title={`${it.connections.created} since the connectors started`}>{it.connections.active}</span>
    ),
    <ActionsButton target={{ kind: 'datasource', cluster: cluster.name, service, name }} />,
  ]
}

const connectorColumns: readonly Column[] = [
  { title: 'Connector' },
  { title: 'Mode' },
  { title: 'Clients', kind: 'number' },
  { title: 'Waiting', kind: 'number' },
  { title: 'Clients since its start', kind: 'number' },
  { title: 'Addresses for clients' },
  { title: 'Actions', kind: 'actions' },
]

function Connectors({ cluster, service }: Props) {
  const keys = useComputed(() => {
    const found = cluster.services.get(service)
    if (found === undefined) return ''
    const hosts = connectorHosts({ service: found, hosts: cluster.hosts.all() })
    return troubledFirst(hosts, ({ connector }) => connector?.value !== 'ONLINE' || connector.held > 0)
  })
  if (keys.value === '') return null
  return (
    <LongTable
      noun="connector"
      label={`Connectors of ${shown(service)}`}
      columns={connectorColumns}
      keys={keys.value.split('\n')}
      row={(host) => connectorCells(cluster, host)}
    />
  )
}

function connectorCells(cluster: ClusterState, host: string) {
  const connector = cluster.hosts.get(host)?.connector ?? null
  if (connector === null) return []
  const { clients } = connector
  return [
    hasPage('host') ? <HostLink cluster={cluster.name} host={host} /> : shown(host),
    <>
      <Pill sign={connectorSigns[connector.value]} />
      {connector.reason !== null && <span class="sub reason">{shown(connector.reason)}</span>}
    </>,
    connector.active,
    connector.held,
    connector.created,
    clients === null ? (
      <span class="muted">not known</span>
    ) : (
      <>
        <span class="sub">
          write <code>{shown(clients.readWrite)}</code>
        </span>
        {clients.readOnly !== null && (
          <span class="sub">
            read <code>{shown(clients.readOnly)}</code>
          </span>
        )}
      </>
    ),
    <ActionsButton target={{ kind: 'connector', cluster: cluster.name, host }} />,
  ]
}
