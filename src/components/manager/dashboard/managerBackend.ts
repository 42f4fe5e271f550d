import type { Socket } from 'node:net'
import { findUser, type UserRecord } from '../../../accounts/userFile.ts'
import type { ApiContext } from '../../../api/apiContext.ts'
import { lastAuditLines } from '../../../api/audit/lastAuditLines.ts'
import { markVerified } from '../../../api/connectionLimits.ts'
import { toProblem } from '../../../api/problemError.ts'
import { originOf } from '../../../api/remoteAddress.ts'
import { readLinkedText } from '../../../api/serverFiles.ts'
import { mapLimit } from '../../../base/concurrency.ts'
import { ClientError } from '../../../client/clientError.ts'
import { hostCertificate } from '../../../client/hostCertificate.ts'
import { commonRoutes } from '../../../contracts/commonRoutes.ts'
import type { HostCertificate, HostFailure, RunEntry } from '../../../contracts/dashboard.ts'
import { callOf } from '../../../contracts/routeCall.ts'
import type { DashboardHost, ServerSettings } from '../../../contracts/serverSettings.ts'
import { auditRuns } from '../../../web/auditRuns.ts'
import type { Access, DashboardBackend, DashboardLogin, FollowedCluster } from '../../../web/backend.ts'
import { clusterUsers } from '../../../web/clusterUsers.ts'
import { DashboardError } from '../../../web/dashboardError.ts'
import type { ManagerLog } from '../serviceAssessments.ts'
import type { HostApis } from './hostApis.ts'

/** Hosts that are asked at a time. */
const concurrency = 8

type Answer<Value> = { readonly host: string; readonly value: Value } | HostFailure

/** Backend of the dashboard on a manager: its users, its host, and the APIs of the others. */
export function managerBackend(options: {
  readonly settings: Pick<ServerSettings, 'cluster' | 'host' | 'tls' | 'auditFile'>
  readonly hosts: readonly DashboardHost[]
  readonly apis: HostApis
  readonly context: Pick<ApiContext, 'accounts'>
  readonly log: Pick<ManagerLog, 'info'>
  readonly follow: (changed: () => void) => FollowedCluster
}): DashboardBackend {
  const { settings, hosts, apis, context, log, follow } = options
  const { cluster, host: own, auditFile } = settings
  const { accounts } = context
  /** Record by which each login was good, as text. */
  const records = new WeakMap<DashboardLogin, string>()
  /** Hosts that refused a login: to ask again would be a guess, and five lock the user out there. */
  const refusals = new WeakMap<DashboardLogin, Set<string>>()
  const recordIn = (users: readonly UserRecord[], user: string): UserRecord | undefined =>
    findUser({ version: 1, users }, user)

  async function verify(
    { user, password }: Pick<DashboardLogin, 'user' | 'password'>,
    connection: Socket,
  ): Promise<UserRecord> {
    const before = recordIn(await accounts.users(), user)
    const verdict = await accounts.verify({ user, password }, () => originOf(connection))
    const record = recordIn(await accounts.users(), user)
    if (verdict === 'no-user') {
      const detail = 'This host has no user yet. Create one first, such as with muster users apply.'
      throw new DashboardError({ code: 'no-user', detail })
    }
    // A user that changed meanwhile may have been verified by the password before.
    if (verdict === 'refused' || !record || JSON.stringify(before) !== JSON.stringify(record)) {
      const detail = 'The user name or the password is wrong. Each host has its own users.'
      throw new DashboardError({ code: 'login-refused', detail })
    }
    return record
  }

  async function logIn(
    asked: Pick<DashboardLogin, 'user' | 'password'>,
    connection: Socket,
  ): Promise<readonly DashboardLogin[]> {
    let record: UserRecord
    const peer = connection.remoteAddress
    try {
      record = await verify(asked, connection)
    } catch (error) {
      const { code, message: detail, headers } = error instanceof DashboardError ? error : toProblem(error)
      log.info({ user: asked.user, peer, code }, 'refused a login to the dashboard')
      if (code === 'internal') throw error
      throw new DashboardError({ code, detail, headers })
    }
    markVerified(connection)
    log.info({ user: record.user, peer }, 'logged in to the dashboard')
    const access: Access = record.access
    const login: DashboardLogin = { cluster, user: record.user, password: asked.password, access }
    records.set(login, JSON.stringify(record))
    return [login]
  }

  /** Asks all hosts; one that cannot be asked is a failure of its own. */
  const askAll = <Value>(ask: (host: DashboardHost) => Promise<Value>): Promise<readonly Answer<Value>[]> =>
    mapLimit({
      items: hosts,
      limit: concurrency,
      map: async (it): Promise<Answer<Value>> => {
        try {
          return { host: it.name, value: await ask(it) }
        } catch (error) {
          if (!(error instanceof DashboardError || error instanceof ClientError)) throw error
          return { host: it.name, reason: error.message }
        }
      },
    })

  const failuresOf = (answers: readonly Answer<unknown>[]): readonly HostFailure[] =>
    answers.flatMap((answer) => ('reason' in answer ? [answer] : []))

  async function usersOf(login: DashboardLogin, host: DashboardHost) {
    const refused = refusals.get(login) ?? new Set()
    refusals.set(login, refused)
    if (refused.has(host.name))
      throw new DashboardError({ code: 'login-refused', detail: 'it refused the login' })
    // The users of a host are those of all its components.
    const component = host.apis.find((api) => apis.endpoint(host, api.component))?.component ?? 'manager'
    const answer = await apis.call(login, { ...callOf(commonRoutes.users), host: host.name, component })
    if (answer.status === 401) refused.add(host.name)
    if ('code' in answer) {
      throw new DashboardError({ code: 'manager-unreachable', detail: `It answers: ${answer.detail}` })
    }
    return { host: host.name, payload: answer.payload }
  }

  async function certificateOf(host: DashboardHost): Promise<HostCertificate | null> {
    if (host.name === own)
      return hostCertificate(own, [readLinkedText(settings.tls.chain, 'the certificate')])
    const chain = await apis.certificates(host)
    return chain ? hostCertificate(host.name, chain) : null
  }

  const runs = async (path: string): Promise<readonly RunEntry[]> => auditRuns(await lastAuditLines(path))

  return {
    server: 'manager',
    clusters: [cluster],
    login: logIn,
    isCurrent: async (login) => {
      const users = accounts.usersIfUnchanged() ?? (await accounts.users())
      return JSON.stringify(recordIn(users, login.user)) === records.get(login)
    },
    follow: (_cluster, changed) => follow(changed),
    call: apis.call,
    host: async (_login, name) => {
      const host = apis.find(name)
      const certificate = await certificateOf(host).catch((error: unknown) => {
        if (error instanceof ClientError) return null
        throw error
      })
      const isOwn = name === own && auditFile !== undefined
      return { host: name, certificate, runs: isOwn ? await runs(auditFile) : [], log: null }
    },
    users: async (login) => {
      const answers = await askAll((host) => usersOf(login, host))
      const known = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []))
      return { ...clusterUsers(known), failures: failuresOf(answers) }
    },
    certificates: async () => {
      const answers = await askAll(async (host) => {
        const found = await certificateOf(host)
        if (found) return found
        const detail = 'None of its APIs can be reached from here: they listen on loopback alone, or are off.'
        throw new DashboardError({ code: 'manager-unreachable', detail })
      })
      const certificates = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []))
      return { certificates, failures: failuresOf(answers) }
    },
    ...(auditFile === undefined ? {} : { runs: async () => ({ runs: await runs(auditFile), failures: [] }) }),
  }
}
