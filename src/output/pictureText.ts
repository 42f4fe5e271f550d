import { counted, shortListOf } from '../base/words.ts'
import { wrap } from '../base/wrapping.ts'
import { isDown } from '../client/clusterVerdict.ts'
import { groupOpinions, type ServiceView } from '../client/clusterView.ts'
import {
  type ClusterPicture,
  componentLevels,
  failoverWord,
  hostLevels,
  type PictureDataSource,
  type PictureHost,
  type PictureProblem,
  type PictureService,
  type Verdict,
  type VerdictLevel,
} from '../contracts/clusterPicture.ts'
import { disagreements, lagText, levelTints, stateCell } from './clusterText.ts'
import { paint } from './paint.ts'
import { type Cell, type Layout, type Row, type Tint, tableLines } from './table.ts'

/**
 * Writes a cluster for somebody who looks at it: its release and writers, a row for each host, the problems in words,
 * and the verdict as the last line.
 */
export function pictureText(
  { picture, views }: { readonly picture: ClusterPicture; readonly views: readonly ServiceView[] },
  { colour, width }: Layout,
): readonly string[] {
  // A terminal without a known width reports 0.
  const layout = { colour, width: width < 20 ? Number.POSITIVE_INFINITY : width }
  const parts = [
    [...headlines(picture), ...picture.services.map(serviceText)].flatMap((line) =>
      wrap(line, { width: layout.width, first: '', rest: '  ' }),
    ),
    tableOf(picture, layout),
    problemLines({ picture, views }, layout),
    [verdictLine(picture.verdict, layout)],
  ].filter((part) => part.length > 0)
  return parts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

/** Writes the release of most hosts, and those of the others with their names. */
function headlines({ name, hosts }: ClusterPicture): readonly string[] {
  const known = hosts.flatMap(({ name: host, release }) => (release === null ? [] : [{ host, release }]))
  const [most, ...others] = groupOpinions(known, ({ release }) => release)
  return [
    `cluster ${name}: ${counted(hosts.length, 'host')}${most === undefined ? '' : `, release ${most[0].release}`}`,
    ...others.map((same) => `${shortListOf(same.map(({ host }) => host))}: release ${same[0].release}`),
  ]
}

/** Writes the writer of a service and what its managers do: `alpha: writer db1, policy AUTOMATIC, failover by hand`. */
function serviceText({ name, writer, policy, failover }: PictureService): string {
  const way = failover && `failover ${failoverWord(failover)}`
  const rule = [policy && `policy ${policy}`, way].flatMap((it) => (it ? `, ${it}` : [])).join('')
  if (writer === null) return `${name}: unknown, no manager reports`
  if (writer.datasource !== null) return `${name}: writer ${writer.datasource}${rule}`
  if (writer.switching === undefined) return `${name}: no writer${rule}`
  return `${name}: switching from ${writer.switching.from} to ${writer.switching.to}${rule}`
}

type Line = { readonly host: PictureHost | undefined; readonly source: PictureDataSource | undefined }

type Column = { readonly title: string; readonly cellOf: (line: Line) => Cell }

/** Columns that are empty on every row are left out. */
function tableOf(picture: ClusterPicture, layout: Layout): readonly string[] {
  const all: readonly Column[] = [
    { title: 'HOST', cellOf: ({ host, source }) => host?.name ?? source?.name ?? '' },
    { title: 'SERVICE', cellOf: ({ source }) => (picture.services.length > 1 && source?.service) || '' },
    { title: 'ROLE', cellOf: ({ source }) => source?.role ?? '' },
    {
      title: 'STATE',
      cellOf: ({ host, source }) => (source ? stateCell(source) : host ? hostState(host) : ''),
    },
    { title: 'LAG', cellOf: ({ source }) => (source ? lagText(source) : '') },
    { title: 'CONNECTOR', cellOf: connectorCell },
    { title: 'CLIENTS', cellOf: ({ host }) => `${servingConnector(host)?.active ?? ''}` },
    { title: 'HELD', cellOf: heldCell },
    { title: 'COMPONENTS', cellOf: componentsCell },
  ]
  const lines = linesOf(picture)
  const columns = all.filter(({ cellOf }) => lines.some((line) => textOf(cellOf(line)) !== ''))
  // The reader of a row that ends early would not see which column is empty.
  const rows = lines.map((line): Row => columns.map(({ cellOf }) => orDash(cellOf(line))))
  return lines.length === 0 ? [] : tableLines({ titles: columns.map(({ title }) => title), rows, ...layout })
}

/** One line for each host and each data source of it; data sources of no host come last. */
function linesOf({ hosts, datasources }: ClusterPicture): readonly Line[] {
  const names = new Set(hosts.map(({ name }) => name))
  return [
    ...hosts.flatMap((host): readonly Line[] => {
      const own = datasources.filter(({ name }) => name === host.name)
      return own.length === 0 ? [{ host, source: undefined }] : own.map((source) => ({ host, source }))
    }),
    ...datasources.filter(({ name }) => !names.has(name)).map((source) => ({ host: undefined, source })),
  ]
}

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text)

const orDash = (cell: Cell): Cell => (textOf(cell) === '' ? '-' : cell)

const hostState = ({ state }: PictureHost): Cell => ({
  text: state.replace('-', ' '),
  tint: levelTints[hostLevels[state]],
})

/** Returns the connector of a host that serves clients; without a database it serves none. */
const servingConnector = (host: PictureHost | undefined): PictureHost['connector'] =>
  host?.connector?.clients ? host.connector : null

function connectorCell({ host }: Line): Cell {
  const connector = servingConnector(host)
  return connector === null
    ? ''
    : { text: connector.value, tint: connector.value === 'ONLINE' ? 'green' : 'yellow' }
}

function heldCell({ host }: Line): Cell {
  const held = servingConnector(host)?.held ?? 0
  return held === 0 ? '' : { text: `${held}`, tint: 'yellow' }
}

/** Names the components that are not well; for a host that is away, that it is. */
function componentsCell({ host, source }: Line): Cell {
  if (host === undefined) return ''
  if (isDown(host)) return source === undefined ? '' : hostState(host)
  const bad = host.components.filter(({ state }) => componentLevels[state] !== 'ok')
  const groups = groupOpinions(bad, ({ state }) => state)
  if (groups.length > 0) {
    const text = groups
      .map(
        (same) => `${same.map(({ component }) => component).join(', ')} ${same[0].state.replace('-', ' ')}`,
      )
      .join('; ')
    return { text, tint: bad.some(({ state }) => componentLevels[state] === 'fail') ? 'red' : 'yellow' }
  }
  return host.components.some(({ state }) => state === 'ready') ? { text: 'ready', tint: 'green' } : ''
}

/** Lists the problems with what else is known of them; none where the verdict says it all. */
function problemLines(
  { picture, views }: { readonly picture: ClusterPicture; readonly views: readonly ServiceView[] },
  layout: Layout,
): readonly string[] {
  const { problems } = picture.verdict
  const lines = problems.flatMap((problem) => {
    const { text, code, level } = problem
    const page = code === null ? '' : ` (muster explain ${code})`
    const tinted = paint(layout.colour)[tints[level]]
    return [
      ...wrap(`${text}${page}`, { width: layout.width, first: '', rest: '  ' }).map(tinted),
      ...detailsOf(problem, { picture, views }).flatMap((detail) =>
        wrap(detail, { width: layout.width, first: '  ', rest: '  ' }),
      ),
    ]
  })
  return lines.length === 1 && problems[0]?.code === null ? [] : lines
}

/** Returns the whole reason where a problem has its first sentence, and who says what in a dispute. */
function detailsOf(
  { text, host, service, datasource }: PictureProblem,
  { picture, views }: { readonly picture: ClusterPicture; readonly views: readonly ServiceView[] },
): readonly string[] {
  if (text.startsWith('managers disagree')) {
    return views.filter(({ name }) => name === service).flatMap((view) => disagreements(view))
  }
  const source = picture.datasources.find((it) => it.service === service && it.name === datasource)
  const reason =
    source?.reason ?? (service === null ? picture.hosts.find(({ name }) => name === host)?.detail : null)
  return reason?.includes('. ') === true ? [reason] : []
}

const tints: Readonly<Record<VerdictLevel, Tint>> = {
  down: 'red',
  degraded: 'yellow',
  unknown: 'yellow',
  ok: 'green',
}

/** Writes a verdict with its worst problem: `DEGRADED: replica db3 is 40 s behind, and 2 more`. */
function verdictLine({ level, problems }: Verdict, layout: Layout): string {
  const word = paint(layout.colour)[tints[level]](level.toUpperCase())
  const [worst, ...others] = problems
  if (worst === undefined) return word
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  return wrap(`${word}: ${worst.text}${more}`, { width: layout.width, first: '', rest: '  ' }).join('\n')
}
