import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { service as fields } from '../settings/places.ts'
import { givenFor, type ServiceDraft, valueFor } from '../shape/draft.ts'

const lists = [fields.members, fields.connectors, fields.witnesses] as const

/** Returns true if a list of the service could not be read, so that its hosts are unknown. */
const isUnclear = (service: ServiceDraft): boolean =>
  lists.some(
    (list) => givenFor(service.fields, list) !== undefined && valueFor(service.fields, list) === undefined,
  )

const unusedHost = finding('unused-host', (facts: { host: string }) => ({
  message: `${facts.host} belongs to no service.`,
  why: 'It runs no component, so muster ignores this host.',
  fix: 'Add it to the members, connectors or witnesses of a service, or remove it.',
}))

/** Finds hosts that no service names. */
export function unusedHosts({ draft, hosts }: ResolvedCluster): readonly Diagnostic[] {
  const services = [...draft.services.values()]
  if (services.length === 0 || services.some(isUnclear)) return []
  return hosts
    .filter((host) => host.services.length === 0)
    .map((host) => unusedHost({ host: host.name }, { span: host.span }))
}
