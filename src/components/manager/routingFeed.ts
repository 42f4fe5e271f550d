import { type ServedRoute, serve } from '../../api/serve.ts'
import { envelope } from '../../contracts/envelope.ts'
import { hostRoutes } from '../../contracts/hostRoutes.ts'
import type { Manager } from './createManager.ts'

/** Returns the call by which connectors follow a manager: its routing, and again, as a whole, with each change. */
export function routingFeed({
  routing,
  onRoutingChange,
}: Pick<Manager, 'routing' | 'onRoutingChange'>): ServedRoute {
  const text = (): string => JSON.stringify(envelope('RoutingPayload', routing()))
  return serve(hostRoutes.routing, () => (stream) => {
    stream.send(text())
    stream.onEnd(onRoutingChange(() => stream.send(text())))
  })
}
