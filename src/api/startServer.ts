import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { createAccounts } from '../accounts/accounts.ts'
import { createLockout } from '../accounts/lockout.ts'
import type { ScryptCost } from '../accounts/phc.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import type { ApiContext } from './apiContext.ts'
import { type Audit, createAudit } from './audit/audit.ts'
import { createAuditFile } from './audit/auditFile.ts'
import { putUsers } from './calls/userCalls.ts'
import type { ConnectionLimits } from './connectionLimits.ts'
import { type App, createApp } from './createApp.ts'
import { listenOnSocket, listenOnTcp } from './listen.ts'
import type { ListenerLog } from './log.ts'
import { createRequestCounts } from './metricFamilies.ts'
import type { ComponentApi } from './serve.ts'
import { replaceTls, type ServerLimits } from './server.ts'
import { type CertificateTiming, readTlsAtStart, watchCertificate } from './tlsCertificate.ts'

/** A component's API that listens. */
export type RunningServer = {
  /** The TCP port in effect; absent without a TCP listener. */
  readonly port?: number
  /** Reads the files of the certificate again, at once. */
  reloadCertificate(): void
  /** Fails readiness from now on, so that load balancers turn to others; calls are answered as before. */
  announceStop(): void
  /** Lets calls under way finish, ten seconds at most, and closes the listeners. */
  stop(): Promise<void>
}

/** Milliseconds that calls under way get to finish when the server stops. */
const stopTimeout = 10_000

function close({ server }: App): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), stopTimeout)
  return new Promise((resolve) => {
    // It fails where it never listened, and then there is nothing to wait for.
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function auditOf(settings: ServerSettings, log: ListenerLog): Audit | undefined {
  const { auditFile: path, cluster, host, component } = settings
  if (path === undefined) return undefined
  const place = { cluster, host, component }
  const mirror = (line: object): void => log.always?.({ audit: line }, 'audit')
  return createAudit({ file: createAuditFile(path), path, place, now: () => new Date(), log, mirror })
}

/**
 * Starts a component's API as its settings say: HTTPS at `listen`, plain HTTP on the Unix socket, the same
 * calls on both. Rejects with a `StartError`, and then nothing is left open.
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
  const tls = settings.listen ? readTlsAtStart(settings.tls) : undefined
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
      paths: settings.tls,
      current: tls,
      use: (next) => tcp && replaceTls(tcp.server, next),
      now: () => new Date(),
      log,
      ...(options.certificateTiming ? { timing: options.certificateTiming } : {}),
    })
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
    served: [...api.served, ...(api.local ?? []), putUsers],
    listener: 'socket',
  })
  const tcp = tls && createApp({ ...shared, listener: 'tcp', tls })
  const stop = async (): Promise<void> => {
    stopping = true
    certificateWatcher?.stop()
    await Promise.all([socket, tcp].map((app) => app && close(app)))
    await audit?.close()
  }

  try {
    await listenOnSocket(socket, settings.socket)
    const port = tcp && settings.listen ? { port: await listenOnTcp(tcp, settings.listen) } : {}
    return {
      ...port,
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
