import { listOf } from '../base/words.ts'
import { isShown } from '../client/clusterPicture.ts'
import {
  type DataSourceView,
  disputedParts,
  groupOpinions,
  opinionOf,
  type ServiceView,
} from '../client/clusterView.ts'
import { dataSourceLevel } from '../contracts/clusterPicture.ts'
import { type Cell, type Layout, tableLines } from './table.ts'

const titles = ['data source', 'role', 'state', 'lag']

/**
 * Writes each service: its writer, its data sources as most managers see them, why they are not well, and the hosts
 * whose managers disagree. Services without data sources are left out.
 */
export function clusterText(services: readonly ServiceView[], layout: Layout): readonly string[] {
  const parts = services
    .filter(isShown)
    .map((service) => [
      writerText(service),
      ...(service.datasources.length === 0
        ? []
        : tableLines({ titles, rows: service.datasources.map(rowOf), ...layout })),
      ...service.datasources.flatMap(reasonText),
      ...disagreements(service),
      ...missingText(service),
    ])
  return parts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

function writerText({ name, writer, managers }: ServiceView): string {
  if (writer === null || managers.length === 0) return `${name}: unknown, no manager reported it`
  if (writer.datasource !== null) return `${name}: writer ${writer.datasource}`
  return `${name}: no writer${withReason(writer)}`
}

type Reasons = { readonly code: string | null; readonly reason: string | null }

/** Writes a reason with its code for `muster explain`: `: db2 is read-only (read-only-primary)`. */
function withReason({ code, reason }: Reasons): string {
  if (reason === null) return code === null ? '' : ` (${code})`
  return `: ${reason}${code === null ? '' : ` (${code})`}`
}

const rowOf = (source: DataSourceView) => [
  source.name,
  source.role,
  stateCell(source),
  lagText(source) || '-',
]

export const lagText = ({ appliedLatency }: Pick<DataSourceView, 'appliedLatency'>): string =>
  appliedLatency === null ? '' : `${appliedLatency} s`

/** Tints of the levels of a picture. */
export const levelTints = { ok: 'green', warn: 'yellow', fail: 'red' } as const

export const stateCell = (source: Parameters<typeof dataSourceLevel>[0]): Cell => ({
  text: source.state,
  tint: levelTints[dataSourceLevel(source)],
})

const reasonText = (source: DataSourceView): readonly string[] =>
  source.code === null && source.reason === null ? [] : [`${source.name}${withReason(source)}`]

const nothing: Reasons = { code: null, reason: null }

/**
 * Names the hosts whose managers disagree, one line for the writer, one for the policy and one per data source; of
 * the first two only the parts that are asked for.
 */
export function disagreements(
  service: ServiceView,
  asked: readonly ('writer' | 'policy')[] = ['writer', 'policy'],
): readonly string[] {
  const { name, managers, unknownTo, datasources } = service
  const parts = disputedParts(service).filter(({ part }) => asked.includes(part))
  const disputed = parts.map(({ part, opinions, says }) => ({
    subject: `the ${part} of ${name}`,
    opinions: opinions.map((same) => ({
      hosts: hostsOf(same),
      says: says(same[0]),
      because: part === 'writer' ? same[0].writer : nothing,
    })),
  }))
  const has = { hosts: hostsOf(managers), says: '', because: nothing }
  // Also where the managers that have it say the same of it.
  const isMissing = disputed.length === 0 && unknownTo.length > 0 && managers.length > 0
  const lines = isMissing ? [{ subject: name, opinions: [has] }] : disputed
  return [
    ...lines.map(({ subject, opinions }, index) =>
      disagreement(subject, opinions, index === 0 ? unknownTo : []),
    ),
    ...datasources
      .filter((source) => !source.managersAgree)
      .map((source) => {
        const isMoved = source.managers.some(({ at }) => at !== source.managers[0]?.at)
        const opinions = groupOpinions(source.managers, opinionOf).map((same) => ({
          hosts: hostsOf(same),
          says: isMoved ? opinionOf(same[0]) : `${same[0].role} ${same[0].state}`,
          because: same[0],
        }))
        return disagreement(source.name, opinions, source.unknownTo)
      }),
  ]
}

const hostsOf = (opinions: readonly { readonly host: string }[]): readonly string[] =>
  opinions.map(({ host }) => host)

type Opinion = { readonly hosts: readonly string[]; readonly says: string; readonly because: Reasons }

function disagreement(
  subject: string,
  [most, ...others]: readonly Opinion[],
  unknownTo: readonly string[],
): string {
  const parts = [
    ...(most === undefined ? [] : [opinionText(most, others.length > 0)]),
    ...others.map((one) => `${said(one.hosts, 'says', 'say')} ${one.says}${withReason(one.because)}`),
    ...(unknownTo.length === 0 ? [] : [`${said(unknownTo, 'does', 'do')} not have it`]),
  ]
  return `managers disagree on ${subject}: ${parts.join('; ')}`
}

/** Leaves out the reason, which the view of most managers shows. */
const opinionText = ({ hosts, says }: Opinion, isDisputed: boolean): string =>
  isDisputed ? `${said(hosts, 'says', 'say')} ${says}` : `${said(hosts, 'has', 'have')} it`

const said = (hosts: readonly string[], one: string, several: string): string =>
  `${listOf(hosts)} ${hosts.length === 1 ? one : several}`

/** Names the hosts whose managers did not report, once for each reason. */
export function missingText({ missing }: ServiceView): readonly string[] {
  return groupOpinions(missing, ({ reason }) => reason).map((same) => {
    const managers = same.length === 1 ? 'manager' : 'managers'
    return `no report from the ${managers} of ${listOf(hostsOf(same))}: ${same[0].reason}`
  })
}
