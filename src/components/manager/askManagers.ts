import { ProblemError } from '../../api/problemError.ts'
import { StartError } from '../../api/startError.ts'
import { isObject, itemsOf } from '../../base/json.ts'
import { printableLine } from '../../base/printable.ts'
import { readEvents } from '../../client/readEvents.ts'
import { createKeptAgent } from '../../client/request.ts'
import { type HostReplicationPayload, hostRoutes } from '../../contracts/hostRoutes.ts'
import type { HoldPayload, ReleasePayload } from '../../contracts/managerPayloads.ts'
import { managerRoutes } from '../../contracts/managerRoutes.ts'
import type { ProblemCode } from '../../contracts/problems.ts'
import { callOf, type RouteCall } from '../../contracts/routeCall.ts'
import type { Routing } from '../../contracts/routing.ts'
import type { FollowedManager, ServerSettings } from '../../contracts/serverSettings.ts'
import type { Secret } from '../../secrets/secret.ts'
import { callManager, type PayloadRoute } from '../callManager.ts'
import { managerEndpoint } from '../managerEndpoint.ts'
import { readRouting } from '../readRouting.ts'

/** Answer of one manager; `problem` says in words why it did not do it. */
export type ManagerAnswer = {
  readonly name: string
  readonly problem?: string
  readonly code?: ProblemCode
  readonly changed?: boolean
  /** Sentences about what does not hold there. */
  readonly remarks?: readonly string[]
}

/** Call that changes some of the other managers. */
export type ChangeOrder = {
  readonly route: PayloadRoute
  readonly call: RouteCall
  readonly names: readonly string[]
}

/**
 * The other managers of a service. Each call asks all of them at once and resolves to one answer of each, in their order.
 * The host of a primary that is lost may be gone, too: it is told, but its answer is not waited for, or not for long.
 * Hosts prove themselves to each other for reading and for holds: a change needs the Authorization of whoever asked for it.
 */
export type OtherManagers = {
  hold(order: HoldPayload & { readonly service: string }, lost?: string): Promise<readonly ManagerAnswer[]>
  release(
    order: ReleasePayload & { readonly service: string },
    lost?: string,
  ): Promise<readonly ManagerAnswer[]>
  /** Reads what they say now. */
  routings(lost?: string): Promise<readonly (ManagerAnswer & { readonly routing?: Routing })[]>
  /** Reads what the replicators of their hosts say of replication; of those that answer. */
  replications(): Promise<readonly HostReplicationPayload[]>
}

/** Other managers with connections to them. */
export type ConnectedManagers = OtherManagers & {
  /** Names of the hosts whose managers are asked. */
  readonly names: readonly string[]
  /** Makes a change at some of them. */
  change(order: ChangeOrder, authorization: Secret | undefined): Promise<readonly ManagerAnswer[]>
  /** Takes a change back from some of them. */
  undo(
    order: { readonly id: string; readonly names: readonly string[] },
    authorization: Secret | undefined,
  ): Promise<readonly ManagerAnswer[]>
  /** Ends the connections. */
  close(): void
}

/** Characters of a user's name, and of a remark, that another host tells. */
const mostOfName = 200
const mostOfRemark = 500

/** Time limits in milliseconds. */
type AskLimits = Readonly<Record<'routing' | 'hold' | 'release' | 'change', number>>

/** A release waits for the check of two servers and for a connector, a change for one that may have to be reached. */
const askLimits: AskLimits = { routing: 2000, hold: 2000, release: 4000, change: 6000 }

/** Milliseconds for the word of a manager whose host may be gone. */
const lostLimit = 500

type Change = {
  readonly route: PayloadRoute
  readonly call: RouteCall
  readonly authorization: Secret | undefined
  readonly timeout: number
}

const textsOf = (value: unknown): readonly string[] =>
  itemsOf(value).flatMap((it) => (typeof it === 'string' ? [printableLine(it.slice(0, mostOfRemark))] : []))

/** Reaches managers over TLS, with the certificates of the host. */
export function createOtherManagers(options: {
  readonly managers: readonly FollowedManager[]
  readonly tls: ServerSettings['tls']
  readonly limits?: AskLimits
}): ConnectedManagers {
  const { managers, tls, limits = askLimits } = options
  const names = managers.map(({ name }) => name)
  const agent = createKeptAgent({ kind: 'tcp' })

  async function call(it: FollowedManager, { authorization, ...more }: Change): Promise<ManagerAnswer> {
    const { name } = it
    try {
      const payload: unknown = await callManager({
        title: `the manager of ${name}`,
        endpoint: () => managerEndpoint(it, tls),
        ...more,
        authorization,
        agent,
      })
      const { changed, remarks } = isObject(payload) ? payload : {}
      return { name, changed: changed === true, remarks: textsOf(remarks) }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      return { name, problem: error.message, code: error.code }
    }
  }

  const change = (order: Change, names: readonly string[]): Promise<readonly ManagerAnswer[]> =>
    Promise.all(managers.filter(({ name }) => names.includes(name)).map((it) => call(it, order)))

  /** Holds or releases at all of them; whether it came to a host that may be gone, nobody knows. */
  function tellAll(
    what: 'hold' | 'release',
    call: RouteCall,
    lost: string | undefined,
  ): Promise<readonly ManagerAnswer[]> {
    const order = { route: hostRoutes[what], call, authorization: undefined, timeout: limits[what] }
    if (lost !== undefined) void change(order, [lost]).catch(() => undefined)
    return change(
      order,
      names.filter((name) => name !== lost),
    )
  }

  async function wordOf(
    it: FollowedManager,
    limit: number,
  ): Promise<ManagerAnswer & { readonly routing?: Routing }> {
    const { name } = it
    const enough = new AbortController()
    const late = setTimeout(() => enough.abort(), limit)
    let data: string | undefined
    try {
      const error = await readEvents({
        endpoint: managerEndpoint(it, tls),
        path: hostRoutes.routing.path,
        signal: enough.signal,
        limits: { opening: limit },
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
        call: callOf(hostRoutes.replication),
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
      // One that is not ready, or does not let us ask, says nothing of its server.
      if (error instanceof ProblemError) return []
      throw error
    }
  }

  return {
    names,
    change: ({ names: at, ...order }, authorization) =>
      change({ ...order, authorization, timeout: limits.change }, at),
    undo: ({ id, names: at }, authorization) =>
      change(
        {
          route: managerRoutes.managerUndo,
          call: callOf(managerRoutes.managerUndo, { change: id }),
          authorization,
          timeout: limits.change,
        },
        at,
      ),
    hold: ({ service, ...payload }, lost) =>
      tellAll('hold', callOf(hostRoutes.hold, { service }, { payload }), lost),
    release: ({ service, ...payload }, lost) =>
      tellAll('release', callOf(hostRoutes.release, { service }, { payload }), lost),
    routings: (lost) =>
      Promise.all(
        managers.map((it) =>
          wordOf(it, it.name === lost ? Math.min(lostLimit, limits.routing) : limits.routing),
        ),
      ),
    replications: async () => (await Promise.all(managers.map(replicationOf))).flat(),
    close: () => agent.destroy(),
  }
}
