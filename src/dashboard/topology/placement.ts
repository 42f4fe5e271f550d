/** What a picture of a service is made of, without states: a state moves nothing. */
export type Topology = {
  readonly datasources: readonly {
    readonly key: string
    readonly name: string
    readonly isPrimary: boolean
    /** Key of the data source that it follows; null for none or one that is not there. */
    readonly follows: string | null
  }[]
  /** Keys of the hosts with a connector for this service. */
  readonly connectors: readonly string[]
  /** Key of the data source that clients write to. */
  readonly writer: string | null
}

export type PlacedNode = {
  readonly kind: 'clients' | 'connector' | 'datasource' | 'no-writer'
  readonly key: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** A tier of many: name and shape alone. */
  readonly compact: boolean
}

type PlacedEdge = {
  readonly kind: 'clients' | 'writes' | 'follows'
  readonly from: string
  readonly to: string
  readonly path: string
  /** Point of the arrow at its end, from above. */
  readonly tip: string
}

export type Frame = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly kind: PlacedNode['kind']
  /** Number of nodes in it. */
  readonly count: number
}

export type Layout = {
  readonly width: number
  readonly height: number
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
  readonly frames: readonly Frame[]
}

const gap = { row: 12, column: 14, tier: 44, frame: 10, label: 20 }
const sizes = {
  whole: { width: 190, narrowest: 132, height: 66 },
  compact: { width: 112, narrowest: 84, height: 30 },
}
/** A tier with more than this is drawn compact. */
const manyNodes = 24

type Member = { readonly kind: PlacedNode['kind']; readonly key: string }

type Tier = { readonly nodes: readonly PlacedNode[]; readonly frame: Frame | null; readonly bottom: number }

/**
 * Places a service from top to bottom: clients, connectors, the primary, then whoever follows, one tier for each step away
 * from it. A tier that needs several rows gets a frame, and its lines end there.
 */
export function layOut(topology: Topology, width: number): Layout {
  const tiers: Tier[] = []
  const place = (members: readonly Member[]): void => {
    if (members.length === 0) return
    const top = tiers.at(-1)?.bottom
    tiers.push(placeTier(members, { top: top === undefined ? 2 : top + gap.tier, width }))
  }
  if (topology.connectors.length > 0) {
    place([{ kind: 'clients', key: '' }])
    place(topology.connectors.map((key) => ({ kind: 'connector', key })))
  }
  const [first = [], ...deeper] = dataSourceTiers(topology)
  const noWriter: readonly Member[] =
    topology.writer === null && topology.datasources.length > 0 ? [{ kind: 'no-writer', key: '' }] : []
  place([...noWriter, ...first.map((key): Member => ({ kind: 'datasource', key }))])
  for (const keys of deeper) place(keys.map((key) => ({ kind: 'datasource', key })))
  const nodes = tiers.flatMap((tier) => tier.nodes)
  return {
    width,
    height: (tiers.at(-1)?.bottom ?? 0) + 2,
    nodes,
    edges: edgesOf(topology, tiers),
    frames: tiers.flatMap(({ frame }) => (frame === null ? [] : [frame])),
  }
}

/** Returns the keys by their distance from a primary; who follows nobody but is no primary comes after the primaries. */
export function dataSourceTiers({ datasources }: Topology): readonly (readonly string[])[] {
  const known = new Map(datasources.map((it) => [it.key, it]))
  const depths = new Map<string, number>()
  const depthOf = (key: string, seen: ReadonlySet<string>): number => {
    const found = depths.get(key)
    if (found !== undefined) return found
    const it = known.get(key)
    const source = it?.follows ?? null
    // Servers that follow each other in a circle stand side by side.
    if (source === null || !known.has(source) || seen.has(source)) return it?.isPrimary === true ? 0 : 1
    return 1 + depthOf(source, new Set([...seen, key]))
  }
  for (const { key } of datasources) depths.set(key, depthOf(key, new Set([key])))
  const tiers: string[][] = []
  for (const { key } of datasources) {
    const depth = depths.get(key) ?? 0
    tiers[depth] = [...(tiers[depth] ?? []), key]
  }
  return Array.from(tiers, (tier) => tier ?? []).filter((tier) => tier.length > 0)
}

function placeTier(members: readonly Member[], { top, width }: { top: number; width: number }): Tier {
  const compact = members.length > manyNodes
  const size = compact ? sizes.compact : sizes.whole
  const fitting = (inner: number, node: number): number =>
    Math.max(1, Math.floor((inner + gap.column) / (node + gap.column)))
  const isWrapped = members.length > fitting(width, size.narrowest)
  const margin = isWrapped ? gap.frame : 1
  const inner = width - 2 * margin
  const columns = Math.min(members.length, fitting(inner, members.length === 1 ? size.width : size.narrowest))
  // Rows of the same length: five of eight and three below look like a mistake.
  const rows = Math.ceil(members.length / columns)
  const perRow = Math.ceil(members.length / rows)
  const nodeWidth = Math.min(size.width, (inner - gap.column * (perRow - 1)) / perRow)
  const nodes = members.map(({ kind, key }, index): PlacedNode => {
    const row = Math.floor(index / perRow)
    const inRow = Math.min(perRow, members.length - row * perRow)
    const rowWidth = (isWrapped ? perRow : inRow) * (nodeWidth + gap.column) - gap.column
    return {
      kind,
      key,
      x: round((width - rowWidth) / 2 + (index % perRow) * (nodeWidth + gap.column)),
      y: round(top + (isWrapped ? gap.label + gap.frame : 0) + row * (size.height + gap.row)),
      width: round(nodeWidth),
      height: size.height,
      compact,
    }
  })
  const height = rows * (size.height + gap.row) - gap.row + (isWrapped ? gap.label + 2 * margin : 0)
  const frameWidth = perRow * (nodeWidth + gap.column) - gap.column + 2 * margin
  const frame = isWrapped
    ? {
        kind: members[0]?.kind ?? 'datasource',
        count: members.length,
        x: round((width - frameWidth) / 2),
        y: round(top),
        width: round(frameWidth),
        height: round(height),
      }
    : null
  return { nodes, frame, bottom: round(top + height) }
}

function edgesOf(topology: Topology, tiers: readonly Tier[]): readonly PlacedEdge[] {
  const places = new Map<string, { readonly node: PlacedNode; readonly box: Box }>(
    tiers.flatMap((tier) =>
      tier.nodes.map((node) => [`${node.kind} ${node.key}`, { node, box: tier.frame ?? node }] as const),
    ),
  )
  const drawn = new Set<string>()
  const edge = (kind: PlacedEdge['kind'], from: string, to: string): readonly PlacedEdge[] => {
    const start = places.get(from)
    const end = places.get(to)
    if (start === undefined || end === undefined) return []
    const { path, tip } = curve(start.box, end.box)
    // Lines between frames would lie upon each other.
    if (drawn.has(path)) return []
    drawn.add(path)
    return [{ kind, from: start.node.key, to: end.node.key, path, tip }]
  }
  const target = topology.writer === null ? 'no-writer ' : `datasource ${topology.writer}`
  return [
    ...topology.connectors.flatMap((key) => edge('clients', 'clients ', `connector ${key}`)),
    ...topology.connectors.flatMap((key) => edge('writes', `connector ${key}`, target)),
    ...topology.datasources.flatMap(({ key, follows }) =>
      follows === null ? [] : edge('follows', `datasource ${follows}`, `datasource ${key}`),
    ),
  ]
}

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** Draws from the bottom of a box to the top of one below it, and in an arc to one beside or above it. */
function curve(from: Box, to: Box): { readonly path: string; readonly tip: string } {
  const start = { x: from.x + from.width / 2, y: from.y + from.height }
  const end = { x: to.x + to.width / 2, y: to.y }
  const [left, right, above] = [end.x - 4, end.x + 4, end.y - 7].map(round)
  const bend = end.y > start.y ? (end.y - start.y) / 2 : gap.tier
  const bends = [start.x, start.y + bend, end.x, end.y - bend, end.x, end.y].map(round)
  return {
    path: `M${round(start.x)} ${round(start.y)}C${bends.join(' ')}`,
    tip: `M${left} ${above}H${right}L${round(end.x)} ${round(end.y)}z`,
  }
}

const round = (value: number): number => Math.round(value * 10) / 10
