import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { service as fields } from '../settings/places.ts'
import { givenFor, type ServiceDraft, valueFor } from '../shape/draft.ts'

const lists = [fields.members, fields.connectors, fields.witnesses] as const

/** Returns true if a list of the service could not be read, so that its hosts are unknown. */
const isUnclear = (service: ServiceDraft): boolean =>
  lists.some(
    (list) => givenFor(service.fields, list) !== undefined && valueFor(service.fields, list) === undefined,
  )

/** Finds hosts that no service names. */
export function unusedHosts({ draft, hosts }: ResolvedCluster): readonly Diagnostic[] {
  const services = [...draft.services.values()]
  if (services.length === 0 || services.some(isUnclear)) return []
  return hosts
    .filter((host) => host.services.length === 0)
    .map((host) => diagnose('unused-host', { host: host.name }, { span: host.span }))
}
