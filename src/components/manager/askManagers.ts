import { ProblemError } from '../../api/problemError.ts'
import { StartError } from '../../api/startError.ts'
import { printableLine } from '../../base/printable.ts'
import { readEvents } from '../../client/readEvents.ts'
import { createKeptAgent } from '../../client/request.ts'
import { envelope } from '../../contracts/envelope.ts'
import { type HostReplicationPayload, hostRoutes } from '../../contracts/hostRoutes.ts'
import type { HoldPayload, ReleasePayload } from '../../contracts/managerPayloads.ts'
import { managerRoutes } from '../../contracts/managerRoutes.ts'
import type { Routing } from '../../contracts/routing.ts'
import type { FollowedManager, ServerSettings } from '../../contracts/serverSettings.ts'
import type { Secret } from '../../secrets/secret.ts'
import { callManager } from '../callManager.ts'
import { managerEndpoint } from '../managerEndpoint.ts'
import { readRouting } from '../readRouting.ts'

/** Answer of one manager; `problem` says in words why it did not do it. */
export type ManagerAnswer = { readonly name: string; readonly problem?: string }

/**
 * The other managers of a service. Each call asks all of them at once and resolves to one answer of each, in their order.
 * Hosts prove themselves to each other for reading alone: a change needs the Authorization of whoever asked for it.
 */
export type OtherManagers = {
  /** Names of the hosts whose managers cannot be asked: their APIs listen on loopback or are off. */
  readonly unreachable: readonly string[]
  hold(
    order: HoldPayload & { readonly service: string },
    authorization: Secret | undefined,
  ): Promise<readonly ManagerAnswer[]>
  release(
    order: ReleasePayload & { readonly service: string },
    authorization: Secret | undefined,
  ): Promise<readonly ManagerAnswer[]>
  /** Reads what they say now. */
  routings(): Promise<readonly (ManagerAnswer & { readonly routing?: Routing })[]>
  /** Reads what the replicators of their hosts say of replication; of those that answer. */
  replications(): Promise<readonly HostReplicationPayload[]>
}

/** Other managers with connections to them. */
export type ConnectedManagers = OtherManagers & {
  /** Ends the connections. */
  close(): void
}

/** Characters of a user's name that another host tells. */
const mostOfName = 200

/** Time limits in milliseconds. */
export type AskLimits = Readonly<Record<'routing' | 'hold' | 'release', number>>

/** A release waits for the check of two servers and for a connector. */
export const askLimits: AskLimits = { routing: 2000, hold: 2000, release: 4000 }

type ChangingRoute = typeof managerRoutes.managerHold | typeof managerRoutes.managerRelease

type Change = {
  readonly service: string
  readonly body: object
  readonly authorization: Secret | undefined
  readonly timeout: number
}

/** Reaches managers over TLS, with the certificates of the host. */
export function createOtherManagers(options: {
  readonly managers: readonly FollowedManager[]
  readonly unreachable: readonly string[]
  readonly tls: ServerSettings['tls']
  readonly limits?: AskLimits
}): ConnectedManagers {
  const { managers, unreachable, tls, limits = askLimits } = options
  const agent = createKeptAgent({ kind: 'tcp' })

  async function call(
    it: FollowedManager,
    route: ChangingRoute,
    { service, body, authorization, timeout }: Change,
  ): Promise<ManagerAnswer> {
    const { name } = it
    if (!authorization) return { name, problem: `The manager of ${name} needs a user and a password.` }
    try {
      await callManager({
        title: `the manager of ${name}`,
        endpoint: () => managerEndpoint(it, tls),
        route,
        path: route.path.replace('{service}', encodeURIComponent(service)),
        body,
        authorization,
        timeout,
        agent,
      })
      return { name }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      return { name, problem: error.message }
    }
  }

  const change = (route: ChangingRoute, order: Change): Promise<readonly ManagerAnswer[]> =>
    Promise.all(managers.map((it) => call(it, route, order)))

  async function wordOf(it: FollowedManager): Promise<ManagerAnswer & { readonly routing?: Routing }> {
    const { name } = it
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
      if (routing) return { name, routing }
      const strange = `The manager of ${name} sends something else than what to route by.`
      return { name, problem: data === undefined ? error.message : strange }
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      return { name, problem: error.message }
    } finally {
      clearTimeout(late)
    }
  }

  async function replicationOf(it: FollowedManager): Promise<readonly HostReplicationPayload[]> {
    try {
      const payload = await callManager({
        title: `the manager of ${it.name}`,
        endpoint: () => managerEndpoint(it, tls),
        route: hostRoutes.replication,
        authorization: undefined,
        timeout: limits.routing,
        agent,
      })
      // A manager speaks for its host alone.
      if (payload.datasource !== it.name) return []
      const { takenOffline } = payload
      if (takenOffline === null) return [payload]
      const by = printableLine(takenOffline.by.slice(0, mostOfName))
      return [{ ...payload, takenOffline: { ...takenOffline, by } }]
    } catch (error) {
      // One of an older release has no such call.
      if (error instanceof ProblemError) return []
      throw error
    }
  }

  return {
    unreachable,
    hold: ({ service, ...order }, authorization) =>
      change(managerRoutes.managerHold, {
        service,
        body: envelope('HoldPayload', order),
        authorization,
        timeout: limits.hold,
      }),
    release: ({ service, ...order }, authorization) =>
      change(managerRoutes.managerRelease, {
        service,
        body: envelope('ReleasePayload', order),
        authorization,
        timeout: limits.release,
      }),
    routings: () => Promise.all(managers.map(wordOf)),
    replications: async () => (await Promise.all(managers.map(replicationOf))).flat(),
    close: () => agent.destroy(),
  }
}
