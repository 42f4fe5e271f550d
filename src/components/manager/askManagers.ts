import { ProblemError } from '../../api/problemError.ts'
import { StartError } from '../../api/startError.ts'
import { readEvents } from '../../client/readEvents.ts'
import { createKeepingAgent } from '../../client/request.ts'
import { envelope } from '../../contracts/envelope.ts'
import { hostRoutes } from '../../contracts/hostRoutes.ts'
import type { HoldPayload, ReleasePayload } from '../../contracts/managerPayloads.ts'
import { managerRoutes } from '../../contracts/managerRoutes.ts'
import type { Routing } from '../../contracts/routing.ts'
import type { FollowedManager, ServerSettings } from '../../contracts/serverSettings.ts'
import type { Secret } from '../../secrets/secret.ts'
import { callManager } from '../callManager.ts'
import { managerEndpoint } from '../managerEndpoint.ts'
import { readRouting } from '../readRouting.ts'

/** Answer of one manager; `problem` says in words why it did not do it, null where it did. */
export type ManagerAnswer = { readonly manager: string; readonly problem: string | null }

/** Word of one manager, or why it is not known. */
export type ManagerWord =
  | { readonly manager: string; readonly routing: Routing; readonly problem: null }
  | { readonly manager: string; readonly routing: null; readonly problem: string }

/** The other managers of a service. Each call asks all of them at once and resolves to one answer of each, in their order. */
export type OtherManagers = {
  /** Names of the hosts whose managers cannot be asked: their APIs listen on loopback or are off. */
  readonly unreachable: readonly string[]
  /** Hosts prove themselves to each other for reading alone, so a change needs the Authorization of whoever asked for it. */
  hold(service: string, order: HoldPayload, authorization: Secret): Promise<readonly ManagerAnswer[]>
  release(service: string, order: ReleasePayload, authorization: Secret): Promise<readonly ManagerAnswer[]>
  /** Reads what they say now. */
  routing(): Promise<readonly ManagerWord[]>
  /** Ends its connections. */
  close(): void
}

/** Time limits in milliseconds. */
export type AskLimits = Readonly<Record<'routing' | 'hold' | 'release', number>>

/** A release waits for the check of two servers and for a connector. */
export const askLimits: AskLimits = { routing: 2000, hold: 2000, release: 4000 }

/** Idle connections are kept this long: from one step of a switch to the next. */
const idleTime = 5000

/** Reaches managers over TLS, with the certificates of the host. */
export function createOtherManagers(options: {
  readonly managers: readonly FollowedManager[]
  readonly unreachable: readonly string[]
  readonly tls: ServerSettings['tls']
  readonly limits?: AskLimits
}): OtherManagers {
  const { managers, unreachable, tls, limits = askLimits } = options
  const agent = createKeepingAgent(idleTime)

  const change = (
    route: typeof managerRoutes.managerHold | typeof managerRoutes.managerRelease,
    order: {
      readonly service: string
      readonly body: object
      readonly authorization: Secret
      readonly timeout: number
    },
  ): Promise<readonly ManagerAnswer[]> =>
    Promise.all(
      managers.map(async (it) => {
        try {
          await callManager({
            title: `the manager of ${it.name}`,
            endpoint: () => managerEndpoint(it, tls),
            route,
            path: route.path.replace('{service}', encodeURIComponent(order.service)),
            body: order.body,
            authorization: order.authorization,
            timeout: order.timeout,
            agent,
          })
          return { manager: it.name, problem: null }
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error
          return { manager: it.name, problem: error.message }
        }
      }),
    )

  async function wordOf(it: FollowedManager): Promise<ManagerWord> {
    const enough = new AbortController()
    const late = setTimeout(() => enough.abort(), limits.routing)
    let data: string | undefined
    try {
      const error = await readEvents({
        endpoint: managerEndpoint(it, tls),
        path: hostRoutes.routing.path,
        signal: enough.signal,
        limits: { opening: limits.routing },
        onEvent: (event) => {
          data ??= event
          enough.abort()
        },
      })
      const routing = data === undefined ? undefined : readRouting(data)
      if (routing) return { manager: it.name, routing, problem: null }
      const strange = `The manager of ${it.name} sends something else than what to route by.`
      return { manager: it.name, routing: null, problem: data === undefined ? error.message : strange }
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      return { manager: it.name, routing: null, problem: error.message }
    } finally {
      clearTimeout(late)
    }
  }

  return {
    unreachable,
    hold: (service, order, authorization) =>
      change(managerRoutes.managerHold, {
        service,
        body: envelope('HoldPayload', order),
        authorization,
        timeout: limits.hold,
      }),
    release: (service, order, authorization) =>
      change(managerRoutes.managerRelease, {
        service,
        body: envelope('ReleasePayload', order),
        authorization,
        timeout: limits.release,
      }),
    routing: () => Promise.all(managers.map(wordOf)),
    close: () => agent.destroy(),
  }
}
