import type { Import, Service } from './import.ts'
import { type Commented, drop, hideOption } from './importOption.ts'
import { eachOption, takeCommon } from './importSections.ts'
import type { IniSection } from './iniFile.ts'
import { optionOf } from './names.ts'
import { type Group, keptOf } from './sheet.ts'

/** The services of each host. */
export function servicesByHost({ services }: Import): ReadonlyMap<string, readonly Service[]> {
  const byHost = new Map<string, Service[]>()
  for (const service of services.values()) {
    for (const host of service.hosts) {
      const all = byHost.get(host) ?? []
      all.push(service)
      byHost.set(host, all)
    }
  }
  return byHost
}

/** Puts the options of a section for one host to that host. */
export function importHostSection(
  found: Import,
  section: IniSection,
  given: { readonly isDefault: boolean; readonly host: string; readonly services: readonly Service[] },
): void {
  const { isDefault, host, services } = given
  const group: Group = { kind: 'host-options', of: host }
  const givenBy = (name: string): Service | undefined =>
    services.find(({ section: { name: of } }) => {
      const options: Group = { kind: 'service-options', of }
      return keptOf(found.sheet, options, name) !== undefined
    })
  const take = (option: Commented): void => {
    const setting = optionOf(option.item.key)
    const above = isDefault && setting !== undefined ? givenBy(setting.name) : undefined
    if (above === undefined) {
      takeCommon(found, option, group)
      return
    }
    hideOption(found, option.item)
    const reason = `[${above.section.name}] gives it too, and in an INI file a service comes before defaults.`
    drop(found, group, { ...option, reason })
  }
  eachOption(found, { section, group, take })
}
