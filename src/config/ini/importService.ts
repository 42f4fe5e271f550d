import { type Import, type Service, tell } from './import.ts'
import { takeField } from './importFields.ts'
import { keep, takeOption } from './importOption.ts'
import { eachOption } from './importSections.ts'
import { fieldOf } from './names.ts'
import { serviceFrom } from './serviceNames.ts'
import type { Group } from './sheet.ts'
import { open } from './textLine.ts'
import { fieldText } from './topologies.ts'

const reasons = {
  clustered: 'It has connectors or witnesses, which only a cluster has.',
  replicator:
    'It has neither connectors nor witnesses, and services of the replicator package often leave the topology out.',
} as const

function assumeTopology(found: Import, { section, topology }: Service): void {
  const reason = topology.topology === 'clustered' ? reasons.clustered : reasons.replicator
  const facts = { section: section.name, topology: topology.topology, reason }
  tell(found, 'ini-topology-assumed', { facts, span: section.span })
  const from = { spelling: 'topology', keySpan: section.span, instead: open('assumed') }
  const above = [open('assumed, because the INI file sets none')]
  const group: Group = { kind: 'service', of: section.name }
  keep(found, group, { kind: 'kept', name: 'topology', value: open(topology.topology), above, from })
}

/** Puts the section of a data service where its service will stand. */
export function importService(found: Import, service: Service): void {
  const { section, fields } = service
  const group: Group = { kind: 'service', of: section.name }
  const options: Group = { kind: 'service-options', of: section.name }
  if (fieldText(fields, 'topology') === undefined) assumeTopology(found, service)
  eachOption(found, {
    section,
    group,
    take: (given) => {
      const field = fieldOf(given.item.key)
      if (field === undefined) takeOption(found, given, { group: options, rest: group })
      else takeField(found, service, { ...given, field })
    },
  })
  const name = serviceFrom(section.name)
  if (name === section.name || found.names.has(section.name)) return
  const reason = 'Names of services are used in certificates and addresses, which do not allow _.'
  const facts = { what: 'service', from: section.name, to: name, reason }
  tell(found, 'ini-renamed', { facts, span: section.span })
}
