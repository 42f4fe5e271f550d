import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { sortFindings } from '../../diagnostics/sortFindings.ts'
import { topologyOf } from '../resolve/placements.ts'
import type { ResolvedCluster, ResolvedHost } from '../resolve/resolved.ts'
import { service as fields, file, host as hostFields } from '../settings/places.ts'
import type { Given } from '../settings/setting.ts'
import { givenFor, type ServiceDraft, type Values, valueFor } from '../shape/draft.ts'
import {
  commentLine,
  type ExportState,
  optionLine,
  recordUnsupported,
  unsupportedFindings,
} from './exportOption.ts'
import { exportMark } from './importComments.ts'
import { clusterFrom, hostFrom, hostInIni, sectionsFor, serviceFrom } from './iniNames.ts'
import { musterComment } from './musterComment.ts'
import { publicLine, type TextLine } from './readIni.ts'
import { hostSection } from './sortSections.ts'

const list = (
  service: ServiceDraft,
  field: typeof fields.members | typeof fields.connectors | typeof fields.witnesses,
): readonly string[] => (valueFor(service.fields, field) ?? []).map(({ value }) => value)

/** Lists the hosts of a service, in the order of its section. */
function hostsOfService(service: ServiceDraft): readonly string[] {
  const master = valueFor(service.fields, fields.master)
  return [
    ...(master === undefined ? [] : [master]),
    ...list(service, fields.members),
    ...list(service, fields.connectors),
    ...list(service, fields.witnesses),
  ]
}

/** Writes the section of a service. */
function serviceLines(
  state: ExportState,
  service: ServiceDraft,
  given: {
    readonly section: string
    readonly options: readonly Given[]
    readonly hostName: (host: string) => string
  },
): readonly TextLine[] {
  const { section, options, hostName } = given
  const line = (name: string, hosts: readonly string[]): readonly TextLine[] =>
    hosts.length === 0 ? [] : [publicLine(`${name}=${hosts.map(hostName).join(',')}`)]
  const master = valueFor(service.fields, fields.master)
  const witnesses = list(service, fields.witnesses)
  const renamed = serviceFrom(section) !== service.name
  if (renamed) {
    const reason = 'The product family allows only letters, digits and _ in it.'
    recordUnsupported(state, { name: `The name of the service ${service.name}`, reason, span: service.span })
  }
  const name = musterComment(`services.${section}.name`, { kind: 'text', text: service.name })
  return [
    publicLine(`[${section}]`),
    ...(renamed ? [publicLine(`# ${name}`)] : []),
    publicLine(`topology=${topologyOf(service) === 'clustered' ? 'clustered' : 'master-slave'}`),
    ...line('master', master === undefined ? [] : [master]),
    // For tpm an active witness, which runs a manager, is a member as well.
    ...line('members', [...list(service, fields.members), ...witnesses]),
    ...line('connectors', list(service, fields.connectors)),
    ...line('witnesses', witnesses),
    ...(witnesses.length === 0 ? [] : [publicLine('enable-active-witnesses=true')]),
    ...options.map((option) => optionLine(state, option, `services.${section}.options`)),
  ]
}

/** Options of one host and the section in which tpm lets them win: that of a service that gives them too. */
type OptionInSection = { readonly section: string; readonly given: Given }

/** Distributes the options of a host to sections; `sections` are those of the services. */
function distributeOptions(
  host: ResolvedHost,
  given: { readonly options: readonly Given[]; readonly sections: ReadonlyMap<string, string> },
): readonly OptionInSection[] {
  return given.options.flatMap((option) => {
    const above = host.services.filter((service) => service.options.has(option.setting.name))
    const names = above.map((service) => given.sections.get(service.name) ?? 'defaults')
    return (names.length === 0 ? ['defaults'] : names).map((section) => ({ section, given: option }))
  })
}

/** Names a host as in the INI file. */
const iniNameOf = ({ name, draft }: ResolvedHost): string => {
  const address = valueFor(draft.fields, hostFields.address)
  return hostInIni(address === undefined ? { name } : { name, address })
}

/** Writes the sections that tpm applies to one host only, such as [defaults@db2]. */
function hostSections(
  state: ExportState,
  host: ResolvedHost,
  distributed: readonly OptionInSection[],
): readonly (readonly TextLine[])[] {
  const name = iniNameOf(host)
  const options = `hosts.${host.name}.options`
  const sections = [...new Set(distributed.map(({ section }) => section))]
  return sections.map((section) => {
    const header = `${section}@${name}`
    const own = distributed.filter((one) => one.section === section)
    if (hostSection(header) !== undefined) {
      return [publicLine(`[${header}]`), ...own.map(({ given }) => optionLine(state, given, options))]
    }
    const reason = 'INI files support options of a single host only for hosts with a name.'
    return own.map(({ given }) =>
      commentLine(state, given, { path: `${options}.${given.setting.name}`, reason }),
    )
  })
}

/** Writes the connection settings of a host, which INI does not have. */
function hostConnectionLines(state: ExportState, host: ResolvedHost, reason: string): readonly TextLine[] {
  const { name, draft } = host
  const address = valueFor(draft.fields, hostFields.address)
  // A service names it by its address then; a host of no service is named in a comment alone.
  const implied = host.services.length > 0 && address !== undefined && hostFrom(address).name === name
  return [
    ...[...draft.fields.values()]
      .filter(({ setting }) => !(implied && setting.name === hostFields.address.name))
      .map((given) => {
        const what = `The ${given.setting.name} of a host`
        return commentLine(state, given, { path: `hosts.${name}.${given.setting.name}`, reason, name: what })
      }),
    ...[...draft.ssh.values()].map((given) => {
      const path = `ssh.${given.setting.name}`
      return commentLine(state, given, { path: `hosts.${name}.${path}`, reason, name: path })
    }),
  ]
}

/** A configuration as an INI file of the product family. */
type ExportedIni = {
  readonly ini: readonly TextLine[]
  /** About settings that are comments only. */
  readonly findings: readonly Diagnostic[]
}

type ExportRequest = {
  readonly cluster: ResolvedCluster
  readonly state: ExportState
  /** The host of a file for one host. */
  readonly host?: ResolvedHost
  /** Section of each service. */
  readonly sections: ReadonlyMap<string, string>
}

/** Returns the values of a group without those that --set replaces everywhere. */
const withoutSets = ({ sets }: ResolvedCluster, values: Values): readonly Given[] =>
  [...values.values()].filter(({ setting, value }) => value !== undefined && !sets.has(setting.name))

/** Merges values by name; `above` wins. */
const mergeValues = (below: readonly Given[], above: readonly Given[]): readonly Given[] => [
  ...new Map([...below, ...above].map((given) => [given.setting.name, given] as const)).values(),
]

const header = (host: ResolvedHost | undefined): readonly TextLine[] =>
  [
    `# ${exportMark} --ini created this file. Lines with "# muster:" are settings without an INI option; muster import reads them.`,
    ...(host === undefined
      ? []
      : [`# ${exportMark}: for ${host.name} only, without the options of other hosts.`]),
  ].map(publicLine)

function clusterLine({ cluster, state }: ExportRequest): readonly TextLine[] {
  const { draft } = cluster
  const given = givenFor(draft.fields, file.cluster)
  const [first = ''] = draft.services.keys()
  if (given === undefined || given.value === clusterFrom(first)) return []
  const reason = 'In an INI file only services have names.'
  return [commentLine(state, given, { path: 'cluster', reason, name: 'The name of the cluster' })]
}

function defaults(request: ExportRequest): readonly TextLine[] {
  const { cluster, state, host, sections } = request
  const ofHost =
    host === undefined
      ? []
      : distributeOptions(host, { options: withoutSets(cluster, host.draft.options), sections })
  const merged = ofHost.filter(({ section }) => section === 'defaults').map(({ given }) => given)
  const sets = [...cluster.sets.values()].filter(({ value }) => value !== undefined)
  const options = mergeValues(mergeValues(withoutSets(cluster, cluster.draft.defaults), merged), sets)
  return [
    publicLine('[defaults]'),
    ...clusterLine(request),
    ...options.map((given) => optionLine(state, given, 'defaults')),
  ]
}

function services({ cluster, state, host, sections }: ExportRequest): readonly (readonly TextLine[])[] {
  const names = new Map(cluster.hosts.map((one) => [one.name, iniNameOf(one)] as const))
  const hostName = (name: string): string => names.get(name) ?? name
  return [...cluster.draft.services.values()].map((service) => {
    const section = sections.get(service.name) ?? service.name
    const hostOptions =
      host?.services.includes(service) === true ? withoutSets(cluster, host.draft.options) : []
    const overriding = hostOptions.filter(({ setting }) => service.options.has(setting.name))
    const options = mergeValues(withoutSets(cluster, service.options), overriding)
    return serviceLines(state, service, { section, options, hostName })
  })
}

/** Writes hooks and connection settings, and the order of the hosts if it differs from that in the services. */
function connectionLines({ cluster, state }: ExportRequest): readonly TextLine[] {
  const { draft, hosts } = cluster
  const reason = 'INI files have no connection settings.'
  const ssh = [...draft.ssh.values()].map((given) => {
    const path = `ssh.${given.setting.name}`
    return commentLine(state, given, { path, reason, name: path })
  })
  const hooks = [...draft.hooks.values()].map((given) => {
    const path = `hooks.${given.setting.name}`
    return commentLine(state, given, { path, reason: 'INI files have no hooks.', name: path })
  })
  const named = [...new Set([...draft.services.values()].flatMap(hostsOfService))]
  const order = hosts.map(({ name }) => name)
  const same = order.length === named.length && order.every((name, index) => name === named[index])
  return [
    ...(same ? [] : [publicLine(`# ${musterComment('hosts', { kind: 'list', items: order })}`)]),
    ...ssh,
    ...hooks,
    ...hosts.flatMap((host) => hostConnectionLines(state, host, reason)),
  ]
}

/** Says that webhooks, whose secrets stay with the YAML file, are not exported. */
function webhookFindings({ draft }: ResolvedCluster): readonly Diagnostic[] {
  const given = givenFor(draft.fields, file.notify)
  return given === undefined ? [] : [diagnose('webhooks-not-exported', {}, { span: given.keySpan })]
}

/**
 * Writes a configuration without errors as an INI file. Options of single hosts go to sections such as
 * [defaults@db2]; with `host`, the file is for that host only and its options are common ones.
 */
export function exportIni(given: {
  readonly cluster: ResolvedCluster
  readonly host?: ResolvedHost
  /** Absolute folder of the output file. */
  readonly directory: string
}): ExportedIni {
  const { cluster, directory, host } = given
  const state: ExportState = { paths: cluster.paths, directory, unsupported: new Map() }
  const sections = sectionsFor([...cluster.draft.services.keys()])
  const request: ExportRequest = { cluster, state, sections, ...(host === undefined ? {} : { host }) }
  const single = cluster.hosts.flatMap((one) =>
    host === undefined
      ? hostSections(
          state,
          one,
          distributeOptions(one, { options: withoutSets(cluster, one.draft.options), sections }),
        )
      : [],
  )
  const parts = [header(host), defaults(request), ...services(request), ...single, connectionLines(request)]
  const ini = parts
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index === 0 ? part : [publicLine(''), ...part]))
  return {
    ini,
    findings: sortFindings([...unsupportedFindings(state), ...webhookFindings(cluster)], cluster.files),
  }
}
