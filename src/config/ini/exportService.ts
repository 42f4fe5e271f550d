import { topologyOf } from '../resolve/topology.ts'
import { service as fields } from '../settings/places.ts'
import type { ServiceDraft } from '../shape/draft.ts'
import { type Given, valueFor } from '../shape/values.ts'
import { type Export, note, optionLine } from './exportOption.ts'
import { musterComment } from './musterComment.ts'
import { serviceFrom } from './serviceNames.ts'
import { open, type TextLine } from './textLine.ts'

const list = (
  service: ServiceDraft,
  field: typeof fields.members | typeof fields.connectors | typeof fields.witnesses,
): readonly string[] => (valueFor(service.fields, field) ?? []).map(({ value }) => value)

/** The hosts of a service, in the order in which its section names them. */
export function hostsOfService(service: ServiceDraft): readonly string[] {
  const master = valueFor(service.fields, fields.master)
  return [
    ...(master === undefined ? [] : [master]),
    ...list(service, fields.members),
    ...list(service, fields.connectors),
    ...list(service, fields.witnesses),
  ]
}

/** The section of a service. */
export function serviceLines(
  found: Export,
  service: ServiceDraft,
  given: {
    readonly section: string
    readonly options: readonly Given[]
    readonly hostName: (host: string) => string
  },
): readonly TextLine[] {
  const { section, options, hostName } = given
  const line = (name: string, hosts: readonly string[]): readonly TextLine[] =>
    hosts.length === 0 ? [] : [open(`${name}=${hosts.map(hostName).join(',')}`)]
  const master = valueFor(service.fields, fields.master)
  const witnesses = list(service, fields.witnesses)
  const renamed = serviceFrom(section) !== service.name
  if (renamed) {
    const reason = 'The family allows only letters, digits and _ in it.'
    note(found, { name: `The name of the service ${service.name}`, reason, span: service.span })
  }
  const name = musterComment(`services.${section}.name`, { kind: 'text', text: service.name })
  return [
    open(`[${section}]`),
    ...(renamed ? [open(`# ${name}`)] : []),
    open(`topology=${topologyOf(service) === 'clustered' ? 'clustered' : 'master-slave'}`),
    ...line('master', master === undefined ? [] : [master]),
    // For tpm an active witness, which runs a manager, is a member as well.
    ...line('members', [...list(service, fields.members), ...witnesses]),
    ...line('connectors', list(service, fields.connectors)),
    ...line('witnesses', witnesses),
    ...(witnesses.length === 0 ? [] : [open('enable-active-witnesses=true')]),
    ...options.map((option) => optionLine(found, option, `services.${section}.options`)),
  ]
}
