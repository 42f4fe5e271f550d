import { addressAndPort } from '../../base/address.ts'
import { printable } from '../../base/printable.ts'
import { columnsOf } from '../../base/wrapping.ts'
import {
  connectorWords,
  sourceWords,
  type Topology,
  type TopologyService,
  type TopologySource,
} from './topology.ts'

/** Pixels. */
const size = { box: { width: 290, height: 66 }, gap: { x: 72, y: 18 }, margin: 24, title: 28, head: 26 }

/** Columns of text that fit into a box, by class. */
const fitting = { name: 26, words: 36 }

type Kind = 'good' | 'warn' | 'bad' | 'plain'

type Box = {
  readonly x: number
  readonly y: number
  readonly kind: Kind
  readonly isRound: boolean
  readonly name: string
  readonly lines: readonly string[]
}

type Edge = { readonly from: Box; readonly to: Box; readonly kind: 'clients' | 'replication' }

type Drawing = {
  readonly boxes: readonly Box[]
  readonly edges: readonly Edge[]
  readonly titles: readonly { readonly y: number; readonly text: string }[]
  readonly height: number
}

/** Draws a topology as an SVG image: connectors on the left, then the data sources by who follows whom. */
export function graphSvg(topology: Topology): string {
  const { name, services, others, isLive } = topology
  let top = size.margin + size.title
  const drawings: Drawing[] = []
  const add = (drawing: Drawing): void => {
    drawings.push(drawing)
    top += drawing.height
  }
  for (const service of services) add(drawService(service, { top, isLive }))
  if (others.length > 0) add(drawOthers(others, top))
  const boxes = drawings.flatMap((drawing) => drawing.boxes)
  const width = Math.max(480, ...boxes.map(({ x }) => x + size.box.width)) + size.margin
  const height = top + size.margin
  const parts = [
    `<text class="cluster" x="${size.margin}" y="${size.margin + 14}">${escaped(`cluster ${name}`)}</text>`,
    ...drawings.flatMap(({ titles }) =>
      titles.map(({ y, text }) => `<text class="title" x="${size.margin}" y="${y}">${escaped(text)}</text>`),
    ),
    ...drawings.flatMap(({ edges }) => edges.map(edgeSvg)),
    ...boxes.map(boxSvg),
  ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`Topology of cluster ${name}`)}">`,
    `<style>${style}</style>`,
    arrows,
    `<rect class="page" width="${width}" height="${height}"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

const columnAt = (column: number): number => size.margin + column * (size.box.width + size.gap.x)
const rowAt = (top: number, row: number): number => top + row * (size.box.height + size.gap.y)

function drawService(
  service: TopologyService,
  { top, isLive }: { readonly top: number; readonly isLive: boolean },
): Drawing {
  const boxes: Box[] = []
  const edges: Edge[] = []
  const byName = new Map<string, Box>()
  const first = top + size.head
  const doors = service.connectors.map((connector, row): Box => {
    const { readWrite, readOnly } = connector.clients
    return {
      ...{ x: columnAt(0), y: rowAt(first, row), isRound: true, name: connector.host },
      kind: !isLive ? 'plain' : connector.mode === 'ONLINE' && connector.held === 0 ? 'good' : 'warn',
      lines: [
        isLive ? `connector ${connectorWords(connector)}` : 'connector',
        readOnly === null ? readWrite : `${readWrite}, read ${readOnly}`,
      ],
    }
  })
  boxes.push(...doors)
  const start = doors.length === 0 ? 0 : 1
  let rows = 0
  const draw = ({ source, followers }: TopologySource, column: number): Box => {
    const box: Box = {
      ...{ x: columnAt(column), y: rowAt(first, rows), isRound: false, name: source.name },
      kind: !isLive
        ? 'plain'
        : source.state === 'FAILED'
          ? 'bad'
          : source.state === 'ONLINE' && source.code === null
            ? 'good'
            : 'warn',
      lines: [sourceWords(source, isLive), addressAndPort(source.host, source.port)],
    }
    boxes.push(box)
    byName.set(source.name, box)
    if (followers.length === 0) rows += 1
    for (const follower of followers) {
      edges.push({ from: box, to: draw(follower, column + 1), kind: 'replication' })
    }
    return box
  }
  for (const root of service.roots) draw(root, start)
  const writer = service.writer === null ? undefined : byName.get(service.writer)
  if (writer !== undefined)
    edges.push(...doors.map((from) => ({ from, to: writer, kind: 'clients' as const })))
  const count = Math.max(rows, doors.length)
  const title = `${service.name}${isLive && service.writer === null ? ': no writer' : ''}`
  return {
    boxes,
    edges,
    titles: [{ y: top + 14, text: title }],
    height: size.head + count * (size.box.height + size.gap.y) + size.gap.y,
  }
}

function drawOthers(names: readonly string[], top: number): Drawing {
  const perRow = 3
  const boxes = names.map(
    (name, index): Box => ({
      x: columnAt(index % perRow),
      y: rowAt(top + size.head, Math.floor(index / perRow)),
      kind: 'plain',
      isRound: false,
      name,
      lines: [],
    }),
  )
  const rows = Math.ceil(names.length / perRow)
  return {
    boxes,
    edges: [],
    titles: [{ y: top + 14, text: 'other hosts' }],
    height: size.head + rows * (size.box.height + size.gap.y),
  }
}

function boxSvg({ x, y, kind, isRound, name, lines }: Box): string {
  const { width, height } = size.box
  const radius = isRound ? height / 2 : 6
  const inset = isRound ? 26 : 14
  const texts = [
    `<text class="name" x="${x + inset}" y="${y + 22}">${escaped(cut(name, fitting.name))}</text>`,
    ...lines.map(
      (line, index) =>
        `<text class="words" x="${x + inset}" y="${y + 40 + index * 16}">${escaped(cut(line, fitting.words))}</text>`,
    ),
  ]
  return [
    `<g class="${kind}"><title>${escaped([name, ...lines].join('\n'))}</title>`,
    `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`,
    ...texts,
    '</g>',
  ].join('')
}

function edgeSvg({ from, to, kind }: Edge): string {
  const start = { x: from.x + size.box.width, y: from.y + size.box.height / 2 }
  const end = { x: to.x - 2, y: to.y + size.box.height / 2 }
  const middle = (start.x + end.x) / 2
  return `<path class="${kind}" marker-end="url(#${kind})" d="M${start.x} ${start.y}C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}"/>`
}

const arrows = `<defs>${(['clients', 'replication'] as const)
  .map(
    (kind) =>
      `<marker id="${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip ${kind}" d="M0 0L8 4L0 8z"/></marker>`,
  )
  .join('')}</defs>`

const style = [
  'svg{--page:#fff;--ink:#1b1f24;--soft:#57606a;--box:#f6f8fa;--line:#8c959f;--good:#1a7f37;--warn:#9a6700;--bad:#cf222e;--flow:#0969da}',
  '@media(prefers-color-scheme:dark){svg{--page:#0d1117;--ink:#e6edf3;--soft:#9198a1;--box:#161b22;--line:#6e7681;--good:#3fb950;--warn:#d29922;--bad:#f85149;--flow:#58a6ff}}',
  'text{font-family:system-ui,sans-serif;font-size:12px;fill:var(--soft)}',
  '.page{fill:var(--page)}',
  '.cluster{font-size:16px;font-weight:600;fill:var(--ink)}',
  '.title{font-size:14px;font-weight:600;fill:var(--ink)}',
  '.name{font-size:14px;font-weight:600;fill:var(--ink)}',
  '.box{fill:var(--box);stroke:var(--line);stroke-width:1.5}',
  '.good .box{stroke:var(--good)}',
  '.warn .box{stroke:var(--warn);stroke-width:2.5;stroke-dasharray:6 3}',
  '.bad .box{stroke:var(--bad);stroke-width:3}',
  'path{fill:none;stroke-width:1.5}',
  'path.replication{stroke:var(--line)}',
  'path.clients{stroke:var(--flow);stroke-dasharray:4 3}',
  'path.tip{stroke:none}',
  'path.tip.replication{fill:var(--line)}',
  'path.tip.clients{fill:var(--flow)}',
].join('')

/** Cuts text at the end of its box; its title has all of it. */
const cut = (text: string, most: number): string =>
  columnsOf(text) <= most ? text : `${[...text].slice(0, most - 1).join('')}…`

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for XML; control characters, which XML has none of, become visible (XML 1.0, 2.2). */
const escaped = (text: string): string =>
  printable(text).replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? '')
