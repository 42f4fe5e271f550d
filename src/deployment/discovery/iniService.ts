import { isHostName } from '../../base/address.ts'
import type { Field } from '../../config/ini/iniNames.ts'
import { serviceFrom } from '../../config/ini/iniNames.ts'
import { fieldsOf, fieldText, topologyFrom } from '../../config/ini/iniTopology.ts'
import { readIni } from '../../config/ini/readIni.ts'
import type { DiscoveredHost } from './discoveredHosts.ts'

/** The first data service in the tungsten.ini of a host, as far as its hosts are known. */
export type IniService = {
  readonly service: string
  readonly master: string | undefined
  readonly connectors: readonly string[]
}

/** Finds the first data service with members in the INI file of a host. */
export function iniServiceOf(
  { ini }: DiscoveredHost,
  hosts: readonly DiscoveredHost[],
): IniService | undefined {
  if (ini === undefined) return undefined
  const { sections } = readIni(ini.path, ini.text.replaceAll('\0', ''))
  for (const section of sections) {
    const fields = fieldsOf(section)
    const service = serviceFrom(section.name)
    const isService = fields.has('members') && topologyFrom(fields).kind === 'service'
    if (!isService || !isHostName(service) || service === 'defaults') continue
    const listed = (field: Field): readonly string[] =>
      (fieldText(fields, field) ?? '').split(',').flatMap((text) => nameOf(text.trim(), hosts) ?? [])
    return { service, master: listed('master')[0], connectors: [...new Set(listed('connectors'))] }
  }
  return undefined
}

const nameOf = (text: string, hosts: readonly DiscoveredHost[]): string | undefined =>
  hosts.find(({ name, given, hostname, addresses }) =>
    [name, given.address, hostname, ...addresses].some((one) => one.toLowerCase() === text.toLowerCase()),
  )?.name
