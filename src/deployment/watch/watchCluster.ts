import { addressAndPort, connectableAddress } from '../../base/address.ts'
import { type ClusterKnowledge, type KnownHost, pictureOf } from '../../client/clusterPicture.ts'
import type { Credentials } from '../../client/credentials.ts'
import { followEvents } from '../../client/followEvents.ts'
import { createLagRecorder } from '../../client/lagHistory.ts'
import { RefusedStreamError } from '../../client/readEvents.ts'
import { afterEvent, connectorOf, reportOf, type SeenManager } from '../../client/seenManager.ts'
import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import type { ClusterPicture, PictureComponent } from '../../contracts/clusterPicture.ts'
import type { LagHistory } from '../../contracts/dashboard.ts'
import { internalUserAgent } from '../../contracts/route.ts'
import { knowledgeOf } from '../clusterKnowledge.ts'
import type { ObservedHost } from '../hostStatus.ts'
import type { SurveyedHost, UnreachableHost } from '../survey.ts'
import { type HostWatch, watchHost } from './watchHost.ts'

/** A cluster that is looked at over SSH, and followed by the events of its managers while somebody wants to know. */
export type ClusterWatch = {
  readonly name: string
  /** Folder of its YAML file. */
  readonly directory: string
  readonly hosts: readonly HostConfig[]
  /** Resolves to the open connection of a host. Rejects with the host's failure. */
  surveyed(host: string): Promise<SurveyedHost>
  /** Returns the authorities (PEM) that the APIs of a host are verified by. */
  authoritiesOf(surveyed: SurveyedHost): readonly string[]
  /** Takes back a connection on which a call failed. */
  failed(host: string, failure: { readonly surveyed: SurveyedHost; readonly error: unknown }): void
  /** Looks at a host now, where something was changed. */
  lookNow(host: string): void
  /** Follows the managers with this login from now on. */
  use(login: Credentials): void
  /** Follows them no more with a login that is not good any more. */
  forget(login: Credentials): void
  follow(changed: () => void): {
    picture(): ClusterPicture
    lags(): readonly LagHistory[]
    stop(): void
  }
  close(): Promise<void>
}

/** How to look at the hosts of a cluster. */
type WatchedHosts = {
  readonly survey: (host: HostConfig) => Promise<SurveyedHost | UnreachableHost>
  readonly refresh: (surveyed: SurveyedHost) => Promise<SurveyedHost>
  readonly look: (surveyed: SurveyedHost) => Promise<ObservedHost>
  readonly authoritiesOf: (surveyed: SurveyedHost) => readonly string[]
}

/** A host, and its manager while its events come. */
type Member = {
  readonly watch: HostWatch
  /** Logins that the manager refused: to ask again would be a guess, and five lock the user out. */
  readonly refused: WeakSet<Credentials>
  manager?: SeenManager
  following?: { readonly login: Credentials; readonly stop: () => void }
}

/** Watches a cluster until it is closed; hosts are connected to when somebody follows it first. */
export function watchCluster(options: {
  readonly config: ClusterConfig
  readonly hosts: WatchedHosts
  readonly now: () => Date
  readonly after: (milliseconds: number, work: () => void) => () => void
}): ClusterWatch {
  const { config, hosts, now, after } = options
  const listeners = new Set<() => void>()
  const lags = createLagRecorder()
  const logins: Credentials[] = []
  let members: ReadonlyMap<string, Member> | undefined

  const tell = (): void => {
    for (const listener of listeners) listener()
  }

  function open(): ReadonlyMap<string, Member> {
    members ??= new Map(
      config.hosts.map((host) => {
        const watch = watchHost({
          host,
          survey: () => hosts.survey(host),
          refresh: hosts.refresh,
          look: hosts.look,
          after,
          isWanted: () => listeners.size > 0,
          onChange: () => {
            followManagers()
            tell()
          },
        })
        return [host.name, { watch, refused: new WeakSet() }]
      }),
    )
    return members
  }

  function memberOf(host: string): Member {
    const member = open().get(host)
    if (member === undefined) throw new Error(`${config.cluster} has no host ${host}`)
    return member
  }

  /** Follows each manager that is reached and not followed yet, while there is a viewer and a login. */
  function followManagers(): void {
    for (const member of members?.values() ?? []) {
      const login = logins.findLast((one) => !member.refused.has(one))
      if (listeners.size === 0 || login === undefined) stopFollowing(member)
      else if (member.following === undefined && member.watch.seen()?.status.state === 'up')
        follow(member, login)
    }
  }

  function stopFollowing(member: Member): void {
    member.following?.stop()
    delete member.following
    delete member.manager
  }

  function follow(member: Member, login: Credentials): void {
    const { watch } = member
    const api = watch.host.apis.find(({ component }) => component === 'manager')
    // Over a socket, root would connect where the service user lets the path lead: its status is read instead.
    if (api === undefined || !api.enabled) return
    const stopping = new AbortController()
    const following = { login, stop: (): void => stopping.abort() }
    member.following = following
    const place = { address: connectableAddress(api.address), port: api.port }
    void run(place).then((refused) => {
      if (refused) member.refused.add(login)
      if (member.following !== following) return
      delete member.following
      delete member.manager
      if (refused) followManagers()
      tell()
    })

    /** Resolves to true if the manager refuses the login. */
    async function run(place: { readonly address: string; readonly port: number }): Promise<boolean> {
      let surveyed = await watch.surveyed().catch(() => undefined)
      if (surveyed?.transport.dial === undefined) return false
      let certificates = hosts.authoritiesOf(surveyed)
      const error = await followEvents({
        // Read for each connection: the authority changes while somebody looks.
        get endpoint() {
          const trust = { kind: 'authorities', certificates } as const
          return { kind: 'tcp', ...place, names: [place.address], trust } as const
        },
        credentials: login,
        // The connection of the last time may be gone: this is the one of now.
        dial: async () => {
          try {
            surveyed = await watch.surveyed()
            certificates = hosts.authoritiesOf(surveyed)
          } catch (error) {
            return error instanceof Error ? error : new Error(String(error))
          }
          return (await surveyed.transport.dial?.(place)) ?? new Error('the connection takes scripts only')
        },
        userAgent: internalUserAgent,
        signal: stopping.signal,
        onEvent: (event) => {
          const seen = afterEvent(member.manager, event)
          if (seen === undefined || stopping.signal.aborted) return
          member.manager = seen
          tell()
        },
        onCut: () => {
          // The connection or the manager is gone: what it said is not what is now.
          delete member.manager
          tell()
          watch.lookNow()
        },
      })
      return error instanceof RefusedStreamError && error.problem.status === 401
    }
  }

  function observed({ watch, manager }: Member): readonly ObservedHost[] {
    const seen = watch.seen()
    if (seen === undefined) return []
    if (manager === undefined) return [seen]
    const connector = connectorOf(manager)
    const { connector: _before, ...status } = seen.status
    return [
      {
        status: { ...status, ...(connector === null ? {} : { connector }) },
        report: reportOf(watch.host.name, manager),
      },
    ]
  }

  function knowledge(): ClusterKnowledge {
    const observedHosts = [...open().values()].flatMap(observed)
    const known = knowledgeOf({ config, observed: observedHosts, now: now() })
    const byName = new Map(known.hosts.map((host) => [host.name, host]))
    return { ...known, hosts: config.hosts.map((host) => withComponents(host, byName.get(host.name))) }
  }

  return {
    name: config.cluster,
    directory: config.directory,
    hosts: config.hosts,
    surveyed: (host) => memberOf(host).watch.surveyed(),
    authoritiesOf: hosts.authoritiesOf,
    failed: (host, failure) => memberOf(host).watch.failed(failure),
    lookNow: (host) => memberOf(host).watch.lookNow(),
    use: (login) => {
      logins.push(login)
      followManagers()
    },
    forget: (login) => {
      const at = logins.indexOf(login)
      if (at < 0) return
      logins.splice(at, 1)
      for (const member of members?.values() ?? []) {
        if (member.following?.login === login) stopFollowing(member)
      }
      followManagers()
    },
    follow: (changed) => {
      listeners.add(changed)
      for (const { watch } of open().values()) watch.lookNow()
      followManagers()
      return {
        picture: () => {
          const picture = pictureOf(knowledge())
          lags.record(picture.datasources, now())
          return picture
        },
        lags: () => lags.read(now()),
        stop: () => {
          listeners.delete(changed)
          followManagers()
        },
      }
    },
    close: async () => {
      listeners.clear()
      for (const member of members?.values() ?? []) stopFollowing(member)
      await Promise.all([...(members?.values() ?? [])].map(({ watch }) => watch.close()))
    },
  }
}

/**
 * Returns a host with the components of the file where it could not be asked for them, so that whoever calls all
 * managers knows of each.
 */
function withComponents(config: HostConfig, known: KnownHost | undefined): KnownHost {
  const { name, address, apis } = config
  const host: KnownHost = known ?? {
    ...{ name, address, state: 'unknown', detail: null, release: null, certificateExpires: null },
    certificateWarningDays: config.tls.warningDays,
    ...{ components: [], connector: null, clients: null },
  }
  const isAway = host.state === 'unreachable' || host.state === 'failed'
  if (!isAway && host.state !== 'unknown') return host
  const components = apis.map(
    ({ component, enabled, address: listening, port }): PictureComponent => ({
      ...{ component, state: isAway ? 'silent' : 'unknown', reason: null },
      listen: enabled ? addressAndPort(listening, port) : null,
    }),
  )
  return { ...host, components }
}
