import type { ResolvedHost } from '../resolve/resolved.ts'
import { host as hostFields } from '../settings/places.ts'
import { type Given, valueFor } from '../shape/values.ts'
import { commentLine, type Export, optionLine } from './exportOption.ts'
import { hostFrom, hostInIni } from './hostNames.ts'
import { hostSection } from './sortSections.ts'
import { open, type TextLine } from './textLine.ts'

/** Options of one host and the section in which tpm lets them win there: that of a service that gives them too. */
export type Placed = { readonly section: string; readonly given: Given }

/** Where the own options of a host go; `sections` are those of the services. */
export function placedOptions(
  host: ResolvedHost,
  given: { readonly options: readonly Given[]; readonly sections: ReadonlyMap<string, string> },
): readonly Placed[] {
  return given.options.flatMap((option) => {
    const above = host.services.filter((service) => service.options.has(option.setting.name))
    const names = above.map((service) => given.sections.get(service.name) ?? 'defaults')
    return (names.length === 0 ? ['defaults'] : names).map((section) => ({ section, given: option }))
  })
}

/** How the INI file names a host. */
export const iniNameOf = ({ name, draft }: ResolvedHost): string => {
  const address = valueFor(draft.fields, hostFields.address)
  return hostInIni(address === undefined ? { name } : { name, address })
}

/** Sections that tpm reads on one host alone, such as [defaults@db2]. */
export function hostSections(
  found: Export,
  host: ResolvedHost,
  placed: readonly Placed[],
): readonly (readonly TextLine[])[] {
  const name = iniNameOf(host)
  const options = `hosts.${host.name}.options`
  const sections = [...new Set(placed.map(({ section }) => section))]
  return sections.map((section) => {
    const header = `${section}@${name}`
    const own = placed.filter((one) => one.section === section)
    if (hostSection(header) !== undefined) {
      return [open(`[${header}]`), ...own.map(({ given }) => optionLine(found, given, options))]
    }
    const reason = 'INI files have options of one host only for named hosts.'
    return own.map(({ given }) =>
      commentLine(found, given, { path: `${options}.${given.setting.name}`, reason }),
    )
  })
}

/** How to reach a host, which no INI file says. */
export function reachLines(found: Export, host: ResolvedHost, reason: string): readonly TextLine[] {
  const { name, draft } = host
  const address = valueFor(draft.fields, hostFields.address)
  // A service names it by its address then; a host of no service is named in a comment alone.
  const implied = host.services.length > 0 && address !== undefined && hostFrom(address).name === name
  return [
    ...[...draft.fields.values()]
      .filter(({ setting }) => !(implied && setting.name === hostFields.address.name))
      .map((given) => {
        const what = `The ${given.setting.name} of a host`
        return commentLine(found, given, { path: `hosts.${name}.${given.setting.name}`, reason, name: what })
      }),
    ...[...draft.ssh.values()].map((given) => {
      const path = `ssh.${given.setting.name}`
      return commentLine(found, given, { path: `hosts.${name}.${path}`, reason, name: path })
    }),
  ]
}
