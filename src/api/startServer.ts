import { randomBytes, randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import { createAccounts } from '../accounts/accounts.ts'
import { createLockout } from '../accounts/lockout.ts'
import type { ScryptCost } from '../accounts/phc.ts'
import { defaultEventStreamLimits } from '../base/eventStreams.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import type { ApiContext } from './apiContext.ts'
import { type Audit, createAudit } from './audit/audit.ts'
import { createAuditFile } from './audit/auditFile.ts'
import { isHostOwner } from './caller.ts'
import { putUsers } from './calls/userCalls.ts'
import type { ConnectionLimits } from './connectionLimits.ts'
import { type App, createApp } from './createApp.ts'
import { type HostProofs, watchHostProofs } from './hostProofs.ts'
import { listenOnSocket, listenOnTcp } from './listen.ts'
import type { ListenerLog } from './log.ts'
import { createRequestCounts } from './metricFamilies.ts'
import type { ComponentApi } from './serve.ts'
import { replaceTls, type ServerLimits, type TlsMaterial } from './server.ts'
import { createStreamRelay } from './streamRelay.ts'
import { type CertificateTiming, readTlsAtStart, watchCertificate } from './tlsCertificate.ts'

/** A component's API that listens. */
export type RunningServer = {
  /** The TCP ports in effect, of the API and of the channel; absent without such a listener. */
  readonly port?: number
  readonly channelPort?: number
  /** Reads the files of the certificate again, at once. */
  reloadCertificate(): void
  /** Fails readiness from now on, so that load balancers turn to others; calls are answered as before. */
  announceStop(): void
  /**
   * Lets calls under way of known callers finish, ten seconds at most, those whose login is still being checked if that
   * ends within a second, and closes all else at once.
   */
  stop(): Promise<void>
}

/**
 * Milliseconds that calls under way get to finish when the server stops, and what is left of the check of a login
 * until it is known whose call it is.
 */
const stopTimeouts = { call: 10_000, login: 1000 } as const

/** Nobody who did not log in may keep a server that stops: only calls under way of known callers get time. */
function close({ server, closeStrangers, closeUnknown }: App): Promise<void> {
  const timers = [
    setTimeout(closeUnknown, stopTimeouts.login),
    setTimeout(() => server.closeAllConnections(), stopTimeouts.call),
  ]
  return new Promise((resolve) => {
    // It fails where it never listened, and then there is nothing to wait for.
    server.close(() => {
      for (const timer of timers) clearTimeout(timer)
      resolve()
    })
    closeStrangers()
  })
}

/** Material of the API, whose callers are asked for no certificate. */
const withoutAuthorities = ({ key, chain }: TlsMaterial): TlsMaterial => ({ key, chain })

function auditOf(settings: ServerSettings, log: ListenerLog): Audit | undefined {
  const { auditFile: path, cluster, host, component } = settings
  if (path === undefined) return undefined
  const place = { cluster, host, component }
  const mirror = (line: object): void => log.always?.({ audit: line }, 'audit')
  return createAudit({ file: createAuditFile(path), path, place, now: () => new Date(), log, mirror })
}

/**
 * Starts a component's API as its settings say: HTTPS at `listen`, plain HTTP on the Unix socket, the same
 * calls on both; and for other hosts those that need a login, and their own ones, at `channel`. Rejects with a
 * `StartError`, and then nothing is left open.
 */
export async function startServer(options: {
  readonly settings: ServerSettings
  readonly api: ComponentApi
  readonly version: string
  readonly log: ListenerLog
  readonly cost?: ScryptCost
  readonly certificateTiming?: CertificateTiming
  readonly limits?: Partial<ServerLimits>
  readonly connections?: ConnectionLimits
}): Promise<RunningServer> {
  const { settings, api, log } = options
  const { peers = [], tls: paths } = settings
  const shownPaths = settings.channel ? paths : { key: paths.key, chain: paths.chain }
  const tls = settings.listen || settings.channel ? readTlsAtStart(shownPaths) : undefined
  let trusted = tls?.authorities
  if (tls?.stagedCopy !== undefined) {
    log.warn(
      `${settings.tls.key} and ${settings.tls.chain} do not match: a deployment was interrupted. Using ${tls.stagedCopy} instead; run muster install to replace both`,
    )
  }
  const audit = auditOf(settings, log)
  if (audit) await audit.isReady()
  else log.warn('no audit log: auditFile is not set in the settings')
  const certificateWatcher =
    tls &&
    watchCertificate({
      paths: shownPaths,
      current: tls,
      use: showTls,
      now: () => new Date(),
      log,
      ...(options.certificateTiming ? { timing: options.certificateTiming } : {}),
    })
  const { peers: toPeers = [] } = api
  let proofs: HostProofs | undefined
  // The clock of the process never goes back.
  const lockout = createLockout({ now: () => performance.now() })
  let stopping = false
  let announced = false
  const context: ApiContext = {
    component: api.component,
    version: options.version,
    node: process.version,
    hostName: hostname(),
    pid: process.pid,
    uptime: () => process.uptime() * 1000,
    now: () => new Date(),
    newRequestId: randomUUID,
    accounts: createAccounts({
      path: settings.usersFile,
      key: randomBytes(32),
      random: randomBytes,
      lockout,
      ...(options.cost ? { cost: options.cost } : {}),
    }),
    lockout,
    routes: api.served.map(({ route }) => route),
    allowedHosts: settings.allowedHosts,
    remoteBootstrap: settings.remoteBootstrap,
    hostOf: (connection) => proofs?.hostOf(connection),
    ...(certificateWatcher ? { certificate: certificateWatcher.state } : {}),
    ...(audit ? { audit } : {}),
    ...(api.metrics ? { componentMetrics: api.metrics } : {}),
    counts: createRequestCounts(),
    isStopping: () => stopping,
    isStopAnnounced: () => announced,
  }
  const limits = options.limits ? { limits: options.limits } : {}
  const connections = options.connections ? { connections: options.connections } : {}
  const shared = { served: api.served, context, log, ...limits, ...connections }
  const socket = createApp({
    ...shared,
    served: [...api.served, ...toPeers, ...(api.local ?? []), putUsers],
    listener: 'socket',
  })
  const pages = settings.listen !== null && tls ? api.pages?.(context) : undefined
  const tcp =
    settings.listen && tls && createApp({ ...shared, listener: 'tcp', tls: withoutAuthorities(tls), pages })
  const channel =
    settings.channel &&
    tls &&
    createApp({
      ...shared,
      served: [...api.served.filter(({ route }) => route.auth === 'basic'), ...toPeers],
      listener: 'channel',
      tls,
      // A host that connects anew may leave a stream behind for as long as the system keeps its connection.
      streams: { streams: Math.max(defaultEventStreamLimits.streams, 2 * peers.length) },
    })
  if (channel) proofs = watchHostProofs(channel.server, peers)
  const relay = channel && createStreamRelay(log)
  if (relay) {
    socket.server.on('upgrade', relay.fromHere)
    channel.server.on('upgrade', (request, connection) =>
      relay.toHost(proofs?.hostOf(connection as Socket), request, connection),
    )
  }

  function showTls(next: TlsMaterial): void {
    if (tcp) replaceTls(tcp.server, withoutAuthorities(next))
    if (!channel) return
    replaceTls(channel.server, next)
    if (next.authorities === trusted) return
    trusted = next.authorities
    // Hosts that the present authorities prove come back at once.
    proofs?.forget()
    channel.streams.endThoseOf(isHostOwner)
  }

  const stop = async (): Promise<void> => {
    stopping = true
    certificateWatcher?.stop()
    pages?.close()
    relay?.close()
    const apps = [socket, tcp, channel].filter((app) => app != null)
    for (const { streams } of apps) streams.close()
    await Promise.all(apps.map(close))
    await audit?.close()
  }

  try {
    await listenOnSocket(socket, settings.socket)
    const port = tcp && settings.listen && (await listenOnTcp(tcp, settings.listen))
    const channelPort = channel && settings.channel && (await listenOnTcp(channel, settings.channel))
    return {
      ...(port != null && { port }),
      ...(channelPort !== undefined && { channelPort }),
      reloadCertificate: () => certificateWatcher?.reload(),
      announceStop: () => {
        announced = true
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
