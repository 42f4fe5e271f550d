import type { Endpoint } from '../../client/endpoint.ts'
import { readEvents } from '../../client/readEvents.ts'
import { hostRoutes } from '../../contracts/hostRoutes.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { managerEndpoint } from '../managerEndpoint.ts'
import type { OpenStream } from './followManager.ts'

/** A manager that a connector follows, and the way to it. */
type ManagerEndpoint = {
  readonly name: string
  /** In messages: `the manager of db1`. */
  readonly title: string
  /** Throws a `StartError` where a file of the certificates cannot be read. */
  readonly endpoint: () => Endpoint
  readonly open: OpenStream
}

const streamOf =
  (endpoint: () => Endpoint): OpenStream =>
  async (onEvent, signal) => {
    try {
      return await readEvents({ endpoint: endpoint(), path: hostRoutes.routing.path, signal, onEvent })
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }

const managerAt = (name: string, title: string, endpoint: () => Endpoint): ManagerEndpoint => ({
  name,
  title,
  endpoint,
  open: streamOf(endpoint),
})

/** Returns the managers that a connector follows: its host's own, else those of the service; none where it has its own map. */
export function managersOf({
  host,
  tls,
  managerSocket,
  managers = [],
}: Pick<ServerSettings, 'host' | 'tls' | 'managerSocket' | 'managers'>): readonly ManagerEndpoint[] {
  if (managerSocket !== undefined) {
    return [managerAt(host, 'the manager of this host', () => ({ kind: 'socket', path: managerSocket }))]
  }
  return managers.map((it) => managerAt(it.name, `the manager of ${it.name}`, () => managerEndpoint(it, tls)))
}
