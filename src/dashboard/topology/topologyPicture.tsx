import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { dataSourceLevel, type PictureDataSource } from '../../contracts/clusterPicture.ts'
import { Icon } from '../parts/icon.tsx'
import { type ClusterState, hostOf } from '../state/clusters.ts'
import { goTo } from '../state/goTo.ts'
import { hasPage } from '../state/session.ts'
import { connectorSigns, dataSourceSigns, type Sign } from '../text/signs.ts'
import { count, cutMiddle, shown } from '../text/words.ts'
import { LagLine } from './lagLine.tsx'
import { layOut, type PlacedNode, type Topology } from './placement.ts'
import { connectorHosts, topologyOf, topologyText } from './topologyOf.ts'

type Props = { readonly cluster: ClusterState; readonly service: string }

/** The picture of a service. What it shows stands in the tables below it, too. */
export function TopologyPicture({ cluster, service }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      // As large as the text around it, whatever size somebody reads at.
      const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
      width.value = Math.floor(element.clientWidth / scale)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [width])
  const parts = useComputed(() => {
    const found = cluster.services.get(service)
    return found === undefined
      ? undefined
      : { service: found, datasources: cluster.datasources.all(), hosts: cluster.hosts.all() }
  })
  // As text: an equal one, after a change of a state or a lag, renders nothing.
  const structure = useComputed(() =>
    parts.value === undefined ? '' : JSON.stringify(topologyOf(parts.value)),
  )
  const topology = useComputed((): Topology | undefined =>
    structure.value === '' ? undefined : JSON.parse(structure.value),
  )
  const text = useComputed(() => (topology.value === undefined ? '' : topologyText(service, topology.value)))
  const layout = useComputed(() =>
    topology.value === undefined || width.value === 0 ? undefined : layOut(topology.value, width.value),
  )
  return (
    <div class="topology" ref={box}>
      {layout.value !== undefined && (
        <svg role="img" aria-label={text} viewBox={`0 0 ${layout.value.width} ${layout.value.height}`}>
          {layout.value.frames.map(({ kind, count: number, ...frame }) => (
            <g class="frame">
              <rect rx="10" {...frame} />
              <text x={frame.x + 12} y={frame.y + 19}>
                {count(number, kind === 'connector' ? 'connector' : 'data source')}
              </text>
            </g>
          ))}
          {layout.value.edges.map(({ kind, path, tip }) => (
            <g class={`edge ${kind}`}>
              <path d={path} />
              <path class="tip" d={tip} />
            </g>
          ))}
          {layout.value.nodes.map((node) => (
            <Node key={`${node.kind} ${node.key}`} cluster={cluster} service={service} node={node} />
          ))}
        </svg>
      )}
    </div>
  )
}

type NodeText = {
  readonly title: string
  readonly note: string
  readonly sign: Sign | null
  readonly detail: string
  readonly host: string | null
}

function Node({ cluster, service, node }: Props & { readonly node: PlacedNode }) {
  const { title, note, sign, detail, host } = useComputed(() => nodeText(cluster, service, node)).value
  const { x, y, width, height, compact, kind } = node
  const open = host !== null && hasPage('host') ? host : null
  const characters = Math.floor((width - (sign === null ? 20 : 36)) / (compact ? 6.4 : 7.7))
  const hasLine = kind === 'datasource' && !compact && note !== 'primary' && width >= 150
  return (
    <g
      class={`node ${kind} ${sign?.tone ?? 'plain'}${open === null ? '' : ' opens'}`}
      {...(open !== null && { onClick: () => goTo({ page: 'host', cluster: cluster.name, host: open }) })}
    >
      <title>
        {[title, note, sign?.word, detail].filter((it) => it !== undefined && it !== '').join(', ')}
      </title>
      <rect x={x} y={y} width={width} height={height} rx="8" />
      {sign !== null && <Icon name={sign.icon} x={x + 9} y={y + (compact ? 8 : 11)} />}
      <text class="name" x={x + (sign === null ? 12 : 29)} y={y + (compact ? 19.5 : 22.5)}>
        {cutMiddle(title, characters)}
      </text>
      {!compact && (
        <>
          <text class="note" x={x + 12} y={y + 39}>
            {[note, sign?.word].filter((it) => it !== undefined && it !== '').join(' · ')}
          </text>
          <text class="note" x={x + 12} y={y + 55}>
            {cutMiddle(detail, Math.floor((width - (hasLine ? 74 : 20)) / 6.2))}
          </text>
        </>
      )}
      {hasLine && (
        <LagLine
          cluster={cluster}
          of={node.key}
          x={x + width - 60}
          y={y + 42}
          width={50}
          height={16}
          silent
        />
      )}
    </g>
  )
}

function nodeText(cluster: ClusterState, service: string, { kind, key }: PlacedNode): NodeText {
  switch (kind) {
    case 'clients': {
      const found = cluster.services.get(service)
      const connectors =
        found === undefined ? [] : connectorHosts({ service: found, hosts: cluster.hosts.all() })
      const active = connectors.reduce((sum, { connector }) => sum + (connector?.active ?? 0), 0)
      const held = connectors.reduce((sum, { connector }) => sum + (connector?.held ?? 0), 0)
      const waiting = held === 0 ? '' : `${held} waiting`
      return { title: 'Clients', note: count(active, 'connection'), sign: null, detail: waiting, host: null }
    }
    case 'no-writer':
      return {
        title: 'No writer',
        note: '',
        sign: { word: 'clients cannot write', icon: 'cross', tone: 'bad' },
        detail: '',
        host: null,
      }
    case 'connector': {
      const connector = cluster.hosts.get(key)?.connector ?? null
      const sign = connector === null ? null : connectorSigns[connector.value]
      const clients = connector === null ? '' : count(connector.active, 'client')
      const held = connector === null || connector.held === 0 ? '' : `, ${connector.held} wait`
      return { title: shown(key), note: 'connector', sign, detail: `${clients}${held}`, host: key }
    }
    case 'datasource': {
      const it = cluster.datasources.get(key)
      if (it === undefined) return { title: '', note: '', sign: null, detail: '', host: null }
      const sign = dataSourceSigns[it.state]
      const isDoubtful = it.state === 'ONLINE' && dataSourceLevel(it) !== 'ok'
      return {
        title: shown(it.name),
        note: it.role,
        sign: isDoubtful ? { ...sign, icon: 'alert', tone: 'warn' } : sign,
        detail: lagOrConnections(it),
        host: hostOf(cluster, it) ?? null,
      }
    }
  }
}

function lagOrConnections({ appliedLatency, connections }: PictureDataSource): string {
  if (appliedLatency !== null && appliedLatency > 0) return `${appliedLatency} s behind`
  return connections === null ? '' : `${connections.active} conn.`
}
