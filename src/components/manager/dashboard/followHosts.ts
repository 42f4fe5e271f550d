import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../../../api/startError.ts'
import { addressAndPort } from '../../../base/address.ts'
import { type ClientError, isUnreachable } from '../../../client/clientError.ts'
import { type KnownHost, pictureOf } from '../../../client/clusterPicture.ts'
import type { ManagerReport } from '../../../client/clusterView.ts'
import type { Endpoint } from '../../../client/endpoint.ts'
import { followEvents } from '../../../client/followEvents.ts'
import { RefusedStreamError } from '../../../client/readEvents.ts'
import { afterEvent, connectorOf, reportOf, type SeenManager } from '../../../client/seenManager.ts'
import type { ClusterPicture, PictureComponent, PictureHost } from '../../../contracts/clusterPicture.ts'
import { hostRoutes } from '../../../contracts/hostRoutes.ts'
import { managerRoutes } from '../../../contracts/managerRoutes.ts'
import type { DashboardHost } from '../../../contracts/serverSettings.ts'
import type { MapService } from '../../../contracts/servicesMap.ts'
import type { HostApis } from './hostApis.ts'

/** What the events of a host's manager told, and how the way to it is. */
type Followed = {
  readonly host: DashboardHost
  seen: SeenManager | undefined
  state: PictureHost['state']
  detail: string | null
}

/** Milliseconds until a manager that refused its events is asked again. */
const refusedPause = 30_000

/** A cluster by the events of its managers. */
type FollowedHosts = { picture(): ClusterPicture; stop(): void }

/** Follows the events of all managers that can be reached, this one's included. */
export function followHosts(options: {
  readonly cluster: string
  /** Name of this host. */
  readonly own: string
  readonly hosts: readonly DashboardHost[]
  readonly apis: Pick<HostApis, 'endpoint'>
  readonly map: () => readonly MapService[]
  readonly changed: () => void
}): FollowedHosts {
  const { cluster, own, hosts, apis, map, changed } = options
  const end = new AbortController()
  const all = hosts.map(
    (host): Followed => ({
      host,
      seen: undefined,
      state: host.name === own ? 'up' : 'unknown',
      detail: null,
    }),
  )

  function note(followed: Followed, state: PictureHost['state'], detail: string | null): void {
    Object.assign(followed, { state, detail })
    changed()
  }

  function noteError(followed: Followed, error: ClientError): void {
    if (end.signal.aborted) return
    // Nothing that it said counts any more.
    followed.seen = undefined
    if (error instanceof RefusedStreamError && error.problem.status === 404) note(followed, 'up', null)
    else note(followed, isUnreachable(error.code) ? 'unreachable' : 'failed', error.message)
  }

  async function follow(followed: Followed): Promise<void> {
    const { host } = followed
    const isOwn = host.name === own
    const endpoint = (): Endpoint => {
      const found = apis.endpoint(host, 'manager')
      if (!found) throw new StartError(`the manager of ${host.name} cannot be reached`)
      return found
    }
    const error = await followEvents({
      // Read for each connection: certificates change without a restart.
      get endpoint() {
        return endpoint()
      },
      path: (isOwn ? managerRoutes : hostRoutes).managerEvents.path,
      signal: end.signal,
      onEvent: (event) => {
        followed.seen = afterEvent(followed.seen, event)
        note(followed, 'up', null)
      },
      onCut: (cut) => noteError(followed, cut),
    })
    noteError(followed, error)
  }

  async function keepFollowing(followed: Followed): Promise<void> {
    while (!end.signal.aborted) {
      try {
        await follow(followed)
      } catch (error) {
        if (!(error instanceof StartError)) throw error
        note(followed, 'failed', error.message)
      }
      if (end.signal.aborted) return
      await wait(refusedPause, undefined, { signal: end.signal, ref: false }).catch(() => undefined)
    }
  }

  for (const followed of all) {
    if (followed.host.channel !== undefined || followed.host.name === own) void keepFollowing(followed)
  }

  return {
    picture: () =>
      pictureOf({
        ...{ name: cluster, now: new Date(), map: map() },
        reports: all.flatMap(({ host, seen }): ManagerReport[] => (seen ? [reportOf(host.name, seen)] : [])),
        hosts: all.map(knownHost),
      }),
    stop: () => end.abort(),
  }
}

function knownHost({ host, seen, state, detail }: Followed): KnownHost {
  const connector = seen ? connectorOf(seen) : null
  return {
    ...{ name: host.name, address: host.address, state, detail, release: null },
    certificateExpires: seen?.certificateExpires ?? null,
    certificateWarningDays: host.certificateWarningDays,
    components: host.apis.map(({ component, listen }): PictureComponent => {
      const place = { component, listen: listen && addressAndPort(listen.address, listen.port), reason: null }
      if (!seen || component === 'replicator') return { ...place, state: 'unknown' }
      return { ...place, state: component === 'manager' || connector ? 'ready' : 'silent' }
    }),
    connector,
    clients: host.clients ?? null,
  }
}
