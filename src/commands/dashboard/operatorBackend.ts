import type { CallResult } from '../../client/call.ts'
import { readUser } from '../../client/calls.ts'
import { hostCertificate } from '../../client/hostCertificate.ts'
import type { AccessLevel } from '../../contracts/accessLevels.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { ActionResponse, HostFailure } from '../../contracts/dashboard.ts'
import { callOf } from '../../contracts/routeCall.ts'
import { failureOf } from '../../deployment/hostFailure.ts'
import { installedSet } from '../../deployment/installedSet.ts'
import { layoutOf } from '../../deployment/layout.ts'
import { readLogs } from '../../deployment/logs/readLogs.ts'
import { mapHosts } from '../../deployment/mapHosts.ts'
import { readRuns } from '../../deployment/runs/runsFile.ts'
import type { SurveyedHost } from '../../deployment/survey.ts'
import { type ComponentCall, callComponent, NoComponentError } from '../../deployment/watch/callComponent.ts'
import { readAuditLogs } from '../../deployment/watch/readAuditLogs.ts'
import type { ClusterWatch } from '../../deployment/watch/watchCluster.ts'
import { auditRuns, joinRuns } from '../../web/auditRuns.ts'
import type { DashboardBackend, DashboardLogin, RelayedCall } from '../../web/backend.ts'
import { clusterUsers } from '../../web/clusterUsers.ts'
import { DashboardError, notFound } from '../../web/dashboardError.ts'
import { refusalOf, responseOf } from './apiResponse.ts'
import { logEntries, runEntries } from './pageContents.ts'

/** Milliseconds for a call, and for which the word of a host on a login counts. */
const limits = { call: 20_000, login: 5_000 } as const

/** Entries of the page of runs at most. */
const mostRuns = 200

/** Lines of the log that the page of a host shows. */
const logLines = 100

/** Backend of `muster dashboard`: reaches all hosts over SSH, in the name of whoever logged in. */
export function operatorBackend(options: {
  readonly watches: readonly ClusterWatch[]
  /** Milliseconds that never go back. */
  readonly elapsed: () => number
  readonly forks: number | undefined
}): DashboardBackend {
  const { watches, elapsed, forks } = options
  /** Last word of a host on a login, and when; who has been asked is not asked again meanwhile. */
  const verdicts = new WeakMap<DashboardLogin, { isCurrent: boolean; isAsked: boolean; at: number }>()
  /** Hosts that refused a login: to ask again would be a guess, and five lock the user out there. */
  const refusals = new WeakMap<DashboardLogin, Set<string>>()

  function watchOf(cluster: string): ClusterWatch {
    const watch = watches.find(({ name }) => name === cluster)
    if (watch === undefined) throw notFound(`There is no cluster ${cluster} here.`)
    return watch
  }

  /** Asks the hosts one after another until one responds: it alone decides, so that a guess counts once. */
  async function askAccess(
    watch: ClusterWatch,
    login: Pick<DashboardLogin, 'user' | 'password'>,
  ): Promise<AccessLevel | DashboardError> {
    let silence = 'no host has an API'
    for (const host of watch.hosts) {
      const component = host.apis[0]?.component
      if (component === undefined) continue
      const read = callOf(commonRoutes.user, { user: login.user.normalize('NFC') })
      const call = { ...read, component, login, timeout: 5_000 }
      try {
        const response = responseOf(await callOn(watch, host.name, call))
        if (response.status === 200 && 'payload' in response) {
          const found = readUser(response.payload)
          if (found !== undefined) return found.access
          silence = `${host.name} returned something else than a user`
        } else if ('code' in response) {
          // An API that is down says nothing of the login: the next host may.
          if (response.status < 500) return refusalOf(response)
          silence = `${host.name}: ${response.detail}`
        }
      } catch (error) {
        silence = failureOf(error).message
      }
    }
    const detail = `No host of ${watch.name} could check the login: ${silence}.`
    return new DashboardError({ code: 'not-ready', detail })
  }

  async function callOn(watch: ClusterWatch, host: string, call: ComponentCall): Promise<CallResult> {
    const surveyed = await watch.surveyed(host)
    try {
      return await callComponent(surveyed, {
        ...call,
        cluster: watch.name,
        authorities: watch.authoritiesOf(surveyed),
      })
    } catch (error) {
      if (!(error instanceof NoComponentError)) watch.failed(host, { surveyed, error })
      throw error
    }
  }

  /** Calls `work` for each host; what fails there is told beside the others. */
  async function onHosts<Value>(
    watch: ClusterWatch,
    work: (host: string) => Promise<Value>,
  ): Promise<{ readonly values: readonly Value[]; readonly failures: readonly HostFailure[] }> {
    const results = await mapHosts({
      items: watch.hosts,
      forks,
      map: async ({ name: host }): Promise<{ readonly value: Value } | HostFailure> => {
        try {
          return { value: await work(host) }
        } catch (error) {
          return { host, reason: wordsOf(error) }
        }
      },
    })
    return {
      values: results.flatMap((one) => ('reason' in one ? [] : [one.value])),
      failures: results.flatMap((one) => ('reason' in one ? [one] : [])),
    }
  }

  async function usersOn(login: DashboardLogin, watch: ClusterWatch, host: string) {
    const refused = refusals.get(login) ?? new Set()
    refusals.set(login, refused)
    if (refused.has(host)) throw new DashboardError({ code: 'login-refused', detail: 'it refused the login' })
    const component = watch.hosts.find(({ name }) => name === host)?.apis[0]?.component
    if (component === undefined) throw new DashboardError({ code: 'not-found', detail: 'it has no API' })
    const call = { ...callOf(commonRoutes.users), component, login, timeout: limits.call }
    const response = responseOf(await callOn(watch, host, call))
    if (response.status === 401) refused.add(host)
    if (!('payload' in response)) throw new DashboardError({ code: 'not-ready', detail: response.detail })
    return { host, payload: response.payload }
  }

  async function refreshVerdict(login: DashboardLogin): Promise<void> {
    const known = verdicts.get(login)
    if (known && (!known.isCurrent || known.isAsked || elapsed() - known.at < limits.login)) return
    const verdict = { isCurrent: true, isAsked: true, at: elapsed() }
    verdicts.set(login, verdict)
    const access = await askAccess(watchOf(login.cluster), login)
    Object.assign(verdict, { isAsked: false, at: elapsed() })
    // A host that is away says nothing of the login.
    if (access instanceof DashboardError ? access.status === 401 : access !== login.access) endLogin(login)
  }

  function endLogin(login: DashboardLogin): void {
    verdicts.set(login, { isCurrent: false, isAsked: false, at: elapsed() })
    watchOf(login.cluster).forget(login)
  }

  async function relay(
    watch: ClusterWatch,
    login: DashboardLogin,
    call: RelayedCall,
  ): Promise<ActionResponse> {
    const { host, ...made } = call
    const response = responseOf(await callOn(watch, host, { ...made, login, timeout: limits.call }))
    if (response.status === 401) endLogin(login)
    else if (made.method === 'POST') watch.lookNow(host)
    return response
  }

  return {
    server: 'muster',
    clusters: watches.map(({ name }) => name),
    login: async ({ user, password, cluster }) => {
      const asked = cluster === undefined ? watches : [watchOf(cluster)]
      const logins = await Promise.all(
        asked.map(async (watch): Promise<DashboardLogin | DashboardError> => {
          const access = await askAccess(watch, { user, password })
          return access instanceof DashboardError ? access : { cluster: watch.name, user, password, access }
        }),
      )
      const good = logins.flatMap((one) => (one instanceof DashboardError ? [] : [one]))
      const refusal = logins.find((one) => one instanceof DashboardError)
      if (good.length === 0 && refusal !== undefined) throw refusal
      for (const login of good) watchOf(login.cluster).use(login)
      return good
    },
    forget: (login) => watchOf(login.cluster).forget(login),
    isCurrent: (login) => {
      void refreshVerdict(login)
      return verdicts.get(login)?.isCurrent ?? true
    },
    follow: (cluster, changed) => watchOf(cluster).follow(changed),
    call: async (login, call) => {
      const watch = watchOf(login.cluster)
      try {
        return await relay(watch, login, call)
      } catch (error) {
        if (error instanceof NoComponentError) throw notFound(`${error.message}.`)
        if (error instanceof DashboardError) throw error
        throw new DashboardError({ code: 'not-ready', detail: failureOf(error).message })
      }
    },
    host: async ({ cluster }, host) => {
      const watch = watchOf(cluster)
      if (watch.hosts.every(({ name }) => name !== host)) throw notFound(`${cluster} has no host ${host}.`)
      const recorded = runEntries(await readRuns({ directory: watch.directory, cluster }), host)
      const surveyed = await watch.surveyed(host).catch(() => undefined)
      if (surveyed === undefined) return { host, certificate: null, runs: recorded, log: null }
      const [log, calls] = await Promise.all([
        readLogs(surveyed.transport, { cluster, host: surveyed.host, lines: logLines })
          .then(logEntries)
          .catch(() => null),
        auditLinesOf(surveyed, cluster).catch(() => []),
      ])
      const runs = joinRuns([...recorded, ...auditRuns(calls)]).slice(0, mostRuns)
      return { host, certificate: hostCertificate(host, chainOf(surveyed)), runs, log }
    },
    users: async (login) => {
      const watch = watchOf(login.cluster)
      const { values, failures } = await onHosts(watch, (host) => usersOn(login, watch, host))
      return { ...clusterUsers(values), failures }
    },
    certificates: async ({ cluster }) => {
      const { values, failures } = await onHosts(watchOf(cluster), async (host) => {
        const certificate = hostCertificate(host, chainOf(await watchOf(cluster).surveyed(host)))
        if (certificate === null) throw notFound('it has no certificate')
        return certificate
      })
      return { certificates: values, failures }
    },
    runs: async ({ cluster }) => {
      const watch = watchOf(cluster)
      const recorded = runEntries(await readRuns({ directory: watch.directory, cluster }))
      const { values, failures } = await onHosts(watch, async (host) =>
        auditRuns(await auditLinesOf(await watch.surveyed(host), cluster)),
      )
      return { runs: joinRuns([...recorded, ...values.flat()]).slice(0, mostRuns), failures }
    },
  }
}

function auditLinesOf({ host, transport, facts }: SurveyedHost, cluster: string): Promise<readonly string[]> {
  const set = installedSet({ cluster, layout: layoutOf(host.installDirectory), facts })
  return readAuditLogs(transport, { host, set })
}

/** Describes why a host could not be asked. */
const wordsOf = (error: unknown): string =>
  error instanceof DashboardError ? error.message : failureOf(error).message

const chainOf = ({ facts }: SurveyedHost): readonly string[] =>
  facts.installation.chain === undefined ? [] : [facts.installation.chain]
