import { listOf } from '../base/words.ts'
import { isShown } from '../client/clusterPicture.ts'
import { type DataSourceView, groupOpinions, opinionOf, type ServiceView } from '../client/clusterView.ts'
import { type Layout, type Tint, tableLines } from './table.ts'

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

const rowOf = ({ name, role, state, code, appliedLatency }: DataSourceView) => [
  name,
  role,
  { text: state, tint: tintOf({ state, code }) },
  appliedLatency === null ? '-' : `${appliedLatency} s`,
]

function tintOf({ state, code }: Pick<DataSourceView, 'state' | 'code'>): Tint {
  if (state === 'FAILED') return 'red'
  return state === 'ONLINE' && code === null ? 'green' : 'yellow'
}

const reasonText = (source: DataSourceView): readonly string[] =>
  source.code === null && source.reason === null ? [] : [`${source.name}${withReason(source)}`]

/** Names the hosts whose managers disagree, one line for the writer and one per data source. */
export function disagreements({
  name,
  managers,
  unknownTo,
  datasources,
  ...service
}: ServiceView): readonly string[] {
  const writers = groupOpinions(managers, ({ writer }) => writer.datasource ?? '').map((same) => ({
    hosts: hostsOf(same),
    says: same[0].writer.datasource ?? 'none',
    because: same[0].writer,
  }))
  const subject = writers.length > 1 ? `the writer of ${name}` : name
  return [
    ...(service.managersAgree ? [] : [disagreement(subject, writers, unknownTo)]),
    ...datasources
      .filter((source) => !source.managersAgree)
      .map((source) => {
        const opinions = groupOpinions(source.managers, opinionOf).map((same) => ({
          hosts: hostsOf(same),
          says: opinionOf(same[0]),
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
