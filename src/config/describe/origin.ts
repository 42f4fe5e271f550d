import type { Span } from '../../diagnostics/diagnostic.ts'
import type { Resolved, ResolvedHost } from '../resolve/resolved.ts'
import type { Given } from '../shape/values.ts'
import type { Layer, ValueOrigin } from './description.ts'

const at = ({ file, line, column }: Span): NonNullable<ValueOrigin['place']> => ({ file, line, column })

/** The origin of something that stands in a file. */
export const placed = (layer: Layer, span: Span): ValueOrigin => ({ layer, place: at(span) })

/** The origin of something that a service gives. */
export const fromService = (service: string, span: Span): ValueOrigin => ({
  layer: 'service',
  service,
  place: at(span),
})

/** The origin of what a host's own fields give, if they do. */
export const ofField = (given: Given | undefined): ValueOrigin =>
  given === undefined ? { layer: 'default' } : placed('host', given.keySpan)

/** The origin of an ssh setting. */
export function ofSsh({ origin, given }: Resolved<unknown>): ValueOrigin {
  if (given === undefined) return { layer: 'default' }
  return placed(origin === 'host' ? 'host' : 'ssh', given.keySpan)
}

/** The origin of an option. */
export function ofOption({ origin, given }: Resolved<unknown>, host: ResolvedHost): ValueOrigin {
  if (given === undefined) return { layer: 'default' }
  if (origin === 'set') return { layer: 'set' }
  // The last service that gives it has decided, as in the resolution.
  const service = host.services.findLast(({ options }) => options.has(given.setting.name))
  if (origin === 'service' && service !== undefined) return fromService(service.name, given.keySpan)
  return placed(origin, given.keySpan)
}
