import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { ordered } from '../../diagnostics/order.ts'
import type { ResolvedCluster, ResolvedHost } from '../resolve/resolved.ts'
import { file } from '../settings/places.ts'
import { type Given, givenFor, type Values } from '../shape/values.ts'
import { hostSections, iniNameOf, placedOptions, reachLines } from './exportHosts.ts'
import { commentLine, type Export, lostFindings, optionLine } from './exportOption.ts'
import { hostsOfService, serviceLines } from './exportService.ts'
import { exportMark } from './importComments.ts'
import { musterComment } from './musterComment.ts'
import { clusterFrom, sectionsFor } from './serviceNames.ts'
import { open, type TextLine } from './textLine.ts'

/** A configuration as an INI file of the product family. */
export type ExportedIni = {
  readonly ini: readonly TextLine[]
  /** What stands in it as comments only. */
  readonly findings: readonly Diagnostic[]
}

type Work = {
  readonly cluster: ResolvedCluster
  readonly found: Export
  /** The host whose own file it is. */
  readonly host?: ResolvedHost
  /** The section of each service. */
  readonly sections: ReadonlyMap<string, string>
}

/** What a group gives, --set aside, which wins everywhere. */
const own = ({ sets }: ResolvedCluster, values: Values): readonly Given[] =>
  [...values.values()].filter(({ setting, value }) => value !== undefined && !sets.has(setting.name))

/** Values with others over them, name by name. */
const over = (below: readonly Given[], above: readonly Given[]): readonly Given[] => [
  ...new Map([...below, ...above].map((given) => [given.setting.name, given] as const)).values(),
]

const header = (host: ResolvedHost | undefined): readonly TextLine[] =>
  [
    `# ${exportMark} --ini wrote this. Lines with "# muster:" hold settings without an INI option; muster import reads them.`,
    ...(host === undefined
      ? []
      : [`# ${exportMark}: for ${host.name} alone. Options that only other hosts have are not here.`]),
  ].map(open)

function clusterLine({ cluster, found }: Work): readonly TextLine[] {
  const { draft } = cluster
  const given = givenFor(draft.fields, file.cluster)
  const [first = ''] = draft.services.keys()
  if (given === undefined || given.value === clusterFrom(first)) return []
  const reason = 'In an INI file only services have names.'
  return [commentLine(found, given, { path: 'cluster', reason, name: 'The name of the cluster' })]
}

function defaults(work: Work): readonly TextLine[] {
  const { cluster, found, host, sections } = work
  const ofHost =
    host === undefined ? [] : placedOptions(host, { options: own(cluster, host.draft.options), sections })
  const merged = ofHost.filter(({ section }) => section === 'defaults').map(({ given }) => given)
  const sets = [...cluster.sets.values()].filter(({ value }) => value !== undefined)
  const options = over(over(own(cluster, cluster.draft.defaults), merged), sets)
  return [
    open('[defaults]'),
    ...clusterLine(work),
    ...options.map((given) => optionLine(found, given, 'defaults')),
  ]
}

function services({ cluster, found, host, sections }: Work): readonly (readonly TextLine[])[] {
  const names = new Map(cluster.hosts.map((one) => [one.name, iniNameOf(one)] as const))
  const hostName = (name: string): string => names.get(name) ?? name
  return [...cluster.draft.services.values()].map((service) => {
    const section = sections.get(service.name) ?? service.name
    const mine = host?.services.includes(service) === true ? own(cluster, host.draft.options) : []
    const wins = mine.filter(({ setting }) => service.options.has(setting.name))
    const options = over(own(cluster, service.options), wins)
    return serviceLines(found, service, { section, options, hostName })
  })
}

/** How to reach the hosts, and their order where the services name them in another one. */
function reach({ cluster, found }: Work): readonly TextLine[] {
  const { draft, hosts } = cluster
  const reason = 'An INI file has no settings for reaching hosts.'
  const ssh = [...draft.ssh.values()].map((given) => {
    const path = `ssh.${given.setting.name}`
    return commentLine(found, given, { path, reason, name: path })
  })
  const named = [...new Set([...draft.services.values()].flatMap(hostsOfService))]
  const order = hosts.map(({ name }) => name)
  const same = order.length === named.length && order.every((name, index) => name === named[index])
  return [
    ...(same ? [] : [open(`# ${musterComment('hosts', { kind: 'list', items: order })}`)]),
    ...ssh,
    ...hosts.flatMap((host) => reachLines(found, host, reason)),
  ]
}

/**
 * Writes a configuration without errors as an INI file. Options of single hosts go to sections such as
 * [defaults@db2]; with `host`, the file is for that host alone and has its options among the common ones.
 */
export function exportIni(given: {
  readonly cluster: ResolvedCluster
  readonly host?: ResolvedHost
  /** Folder that the file will lie in, absolute. */
  readonly directory: string
}): ExportedIni {
  const { cluster, directory, host } = given
  const found: Export = { paths: cluster.paths, directory, lost: new Map() }
  const sections = sectionsFor([...cluster.draft.services.keys()])
  const work: Work = { cluster, found, sections, ...(host === undefined ? {} : { host }) }
  const single = cluster.hosts.flatMap((one) =>
    host === undefined
      ? hostSections(found, one, placedOptions(one, { options: own(cluster, one.draft.options), sections }))
      : [],
  )
  const parts = [header(host), defaults(work), ...services(work), ...single, reach(work)]
  const ini = parts
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index === 0 ? part : [open(''), ...part]))
  return { ini, findings: ordered(lostFindings(found), cluster.files) }
}
