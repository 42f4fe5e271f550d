import { setTimeout as wait } from 'node:timers/promises'
import { commonCalls } from '../../api/calls/commonCalls.ts'
import { ready } from '../../api/calls/health.ts'
import { type ComponentApi, type ServedRoute, serve } from '../../api/serve.ts'
import { hostRoutes } from '../../contracts/hostRoutes.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import type { ServicesMap } from '../../contracts/servicesMap.ts'
import type { DashboardAssets } from '../../web/assets.ts'
import { placeOf } from '../databases/connection.ts'
import { dialServer, proofOf, readPassword } from '../databases/dialServer.ts'
import { createProbe } from '../databases/probe.ts'
import { createStateFile } from '../stateFile.ts'
import { askConnectorAt, type UpdateConnector, updateConnectorAt } from './askConnector.ts'
import { type ConnectedManagers, createOtherManagers } from './askManagers.ts'
import { askReplicatorAt } from './askReplicator.ts'
import { createManager, type Manager } from './createManager.ts'
import { openDashboard } from './dashboard/openDashboard.ts'
import { addressOf, type DataSource, type DataSourceKey, serverOf, sourcesOf } from './dataSources.ts'
import { holdCalls } from './holdCalls.ts'
import { openLastRuns, runsFileOf } from './lastRuns.ts'
import { managerCalls, onceInEffectOf, readyToManage, type ServedManager } from './managerCalls.ts'
import { createManagerFeed, type ManagerFeed } from './managerFeed.ts'
import { managerMetrics } from './managerMetrics.ts'
import { openStateStore } from './managerState.ts'
import { createMonitor, defaultCheckInterval, type Monitor, type MonitorTiming } from './monitor.ts'
import { routingFeed } from './routingFeed.ts'
import type { ManagerLog } from './serviceAssessments.ts'
import { openSwitcher } from './switch/openSwitcher.ts'
import type { Answer } from './takenOffline.ts'

/** Settings of a manager. */
export type ManagerSettings = Pick<
  ServerSettings,
  | 'cluster'
  | 'host'
  | 'services'
  | 'stateFile'
  | 'member'
  | 'monitor'
  | 'switching'
  | 'databaseProof'
  | 'managers'
  | 'peers'
  | 'secretsFile'
  | 'connectorSocket'
  | 'replicatorSocket'
  | 'auditFile'
  | 'dashboard'
> &
  Partial<Pick<ServerSettings, 'tls' | 'socket'>>

const usualTiming: MonitorTiming = {
  checkInterval: defaultCheckInterval,
  limit: 1000,
  now: () => performance.now(),
  wait: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
  random: () => Math.random(),
}

/**
 * Milliseconds. A server that hangs is left to its one attempt for long: giving up within the handshake is what it
 * counts against this host. One whose machine is gone notices nothing of attempts, and is tried anew soon.
 */
const dialLimits = { reach: 2000, login: 10 * 60_000 }
/**
 * Statements get long, too: one more while the server hangs would wait with the first, not be answered before it. A
 * login that goes well makes the server forget the broken ones of this host (max_connect_errors), and shows that
 * clients still can: so there is one within each window of the connector's login limiter.
 */
const readLimits = { connect: dialLimits.login, query: 60_000, age: 8000, silence: 2000 }

/** The API of a manager whose settings name no services. */
export const manager: ComponentApi = { component: 'manager', served: commonCalls }

/** Returns the API of a manager, with the readiness and the measurements of its own. */
export function managerApi(
  served: ServedManager,
  feed: Pick<ManagerFeed, 'served' | 'toPeers'> & { readonly replication?: ServedRoute },
  /** Names of the hosts that may lead a switch. */
  leaders: ReadonlySet<string> = new Set(),
): ComponentApi {
  const own = readyToManage(served.manager)
  const common = commonCalls.map((it) => (it === ready ? own : it))
  return {
    component: 'manager',
    served: [...common, ...managerCalls(served), feed.served],
    peers: [
      routingFeed(served.manager),
      feed.toPeers,
      ...(feed.replication ? [feed.replication] : []),
      ...holdCalls(served.manager, { onceInEffect: onceInEffectOf(served), leaders }),
    ],
    metrics: () => managerMetrics(served.manager),
  }
}

/** Returns the data sources of a map on a host. */
const ownSources = (host: string, services: ServicesMap | undefined): readonly DataSource[] =>
  services ? sourcesOf(services).filter(({ name }) => name === host) : []

/** Returns a monitor with the account of the settings; undefined where they name none. Throws a `StartError`. */
function createMonitorFactory(
  settings: ManagerSettings,
  more: { readonly timing: MonitorTiming; readonly log: ManagerLog },
) {
  const { host, services, monitor, secretsFile } = settings
  if (!monitor || secretsFile === undefined) return undefined
  const secret = { file: secretsFile, option: 'monitor-password' }
  readPassword(secret)
  const local = new Set(ownSources(host, services).map(serverOf))
  const account = { user: monitor.user, secret, purpose: 'monitor', limits: dialLimits } as const
  return (seen: Parameters<typeof createMonitor>[0]['onCheck']): Monitor =>
    createMonitor({
      open: (server, onLost) =>
        createProbe({
          dial: dialServer({ server, ...account, proof: proofOf(settings, server) }),
          limits: readLimits,
          place: placeOf(server),
          onLost,
        }),
      timing: more.timing,
      isLocal: (server) => local.has(serverOf(server)),
      onCheck: seen,
      onError: (error) => more.log.error({ err: error }, 'a fault of the manager'),
    })
}

/** Lets the connector act on changes; where it is not known to, the log says so, too, and it follows when it can. */
function connectorUpdater(socket: string, log: ManagerLog): UpdateConnector {
  const update = updateConnectorAt(socket)
  return async () => {
    const reason = await update()
    if (reason !== undefined) log.warn({ reason }, 'the connector is not known to act on a change yet')
    return reason
  }
}

/** Returns the way to the other managers; undefined where this one switches nothing. */
const openOtherManagers = ({
  switching,
  managers = [],
  tls,
}: ManagerSettings): ConnectedManagers | undefined =>
  switching && tls && createOtherManagers({ managers, tls })

/** Returns the ways to the replicator of each data source, and what this host's replicator says to other managers. */
function openReplicationAnswers(
  { member, replicatorSocket }: ManagerSettings,
  others: ConnectedManagers | undefined,
): {
  readonly askReplicator: (source: DataSourceKey) => Promise<Answer>
  readonly isOwn: (source: DataSourceKey) => boolean
  readonly served: ServedRoute
} {
  const { service = '', datasource = null } = member ?? {}
  const askOwn = async (): Promise<Answer> =>
    datasource === null || replicatorSocket === undefined ? null : askReplicatorAt(replicatorSocket)()
  const isOwn = (source: DataSourceKey): boolean => source.service === service && source.name === datasource
  return {
    isOwn,
    askReplicator: async (source) => {
      if (isOwn(source)) return askOwn()
      const answers = await others?.replications()
      const answer = answers?.find((it) => it.service === source.service && it.datasource === source.name)
      return answer?.isKnown === true ? answer.takenOffline : undefined
    },
    served: serve(hostRoutes.replication, async () => {
      const answer = await askOwn()
      return { service, datasource, isKnown: answer !== undefined, takenOffline: answer ?? null }
    }),
  }
}

/**
 * Opens the manager of the settings: earlier changes by calls are in effect again, and the checks begin.
 * Throws a `StartError` where its state or its password cannot be read.
 */
export function openManager(
  settings: ManagerSettings,
  more: {
    readonly log: ManagerLog
    readonly timing?: MonitorTiming
    /** Files of the dashboard; without them the manager shows none. */
    readonly assets?: DashboardAssets
    /** Ends this process so that its unit kills the database server of this host; see `crashOwnServer`. */
    readonly crash?: (() => void) | undefined
  },
): { readonly api: ComponentApi; close(): void } {
  const { cluster, host, services: installed, stateFile, member, connectorSocket } = settings
  if (!installed || stateFile === undefined || !member) return { api: manager, close: () => undefined }
  const { log, timing = usualTiming, assets, crash } = more
  const file = createStateFile(stateFile)
  const now = (): Date => new Date()
  const monitor = createMonitorFactory(settings, { timing, log })
  const others = openOtherManagers(settings)
  const replication = openReplicationAnswers(settings, others)
  const opened: Manager = createManager({
    installed,
    kept: openStateStore({ file, path: stateFile, installed, now: now() }),
    monitor,
    now,
    log,
    // Without the account of a switch it can change no server.
    own: settings.switching && {
      addresses: new Set(ownSources(host, installed).map(addressOf)),
      runs: openLastRuns(createStateFile(runsFileOf(stateFile))),
    },
    ...replication,
    ...settings.monitor,
  })
  const updateConnector = connectorSocket === undefined ? undefined : connectorUpdater(connectorSocket, log)
  const switcher = openSwitcher(settings, {
    manager: opened,
    others,
    update: async () => {
      await updateConnector?.()
    },
    log,
    crash,
  })
  const served: ServedManager = {
    manager: opened,
    identity: { cluster, host, member, parentPid: () => process.ppid },
    askConnector: connectorSocket === undefined ? undefined : askConnectorAt(connectorSocket),
    updateConnector,
    switcher,
    others,
  }
  const feed = createManagerFeed(served, { log })
  const { tls, socket, dashboard: hosts, peers = [] } = settings
  const leaders = new Set(peers.flatMap(({ name, leads }) => (leads === true ? [name] : [])))
  const pages =
    assets && hosts && tls && socket !== undefined
      ? openDashboard({ ...settings, tls, socket, hosts }, { manager: opened, log, assets })
      : undefined
  return {
    api: {
      ...managerApi(served, { ...feed, replication: replication.served }, leaders),
      ...(pages && { pages }),
    },
    close: () => {
      feed.close()
      switcher?.close()
      others?.close()
      opened.close()
    },
  }
}
