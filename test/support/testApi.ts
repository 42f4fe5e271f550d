import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InjectOptions, inject, type Response } from 'light-my-request'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { type Accounts, createAccounts } from '../../src/accounts/accounts.ts'
import { createLockout } from '../../src/accounts/lockout.ts'
import { hashPassword, saltBytes } from '../../src/accounts/passwordHash.ts'
import { formatUserFile, noUsers, putUser } from '../../src/accounts/userFile.ts'
import type { ApiContext } from '../../src/api/apiContext.ts'
import { createAudit } from '../../src/api/audit/audit.ts'
import { createAuditFile } from '../../src/api/audit/auditFile.ts'
import type { Listener } from '../../src/api/caller.ts'
import { commonCalls } from '../../src/api/calls/commonCalls.ts'
import { type App, createApp } from '../../src/api/createApp.ts'
import { createRequestCounts } from '../../src/api/metricFamilies.ts'
import type { ServedRoute } from '../../src/api/serve.ts'
import type { EventStreamLimits } from '../../src/base/eventStreams.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { type AnswerCheck, answerCheck } from './checkAnswer.ts'
import { temporaryFolder } from './temporaryFolder.ts'

/** Cheap enough for tests, and a real scrypt all the same. */
export const testCost = { ln: 4, r: 8, p: 1 }

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** The login that `withAdmin` makes. */
export const adminLogin = basic('admin', 'right')

const admin = {
  user: 'admin',
  hash: await hashPassword({
    password: new Secret('right'),
    salt: randomBytes(saltBytes),
    cost: testCost,
  }),
}

const checks = new Map<string, Promise<AnswerCheck>>()

/** The check by the document that these routes serve; asked of a server beside the one under test. */
function checkOf(served: readonly ServedRoute[], context: ApiContext): Promise<AnswerCheck> {
  const key = JSON.stringify([context.component, context.routes])
  const make = async (): Promise<AnswerCheck> => {
    const { audit: _audit, ...rest } = context
    const beside = { ...rest, counts: createRequestCounts(), isLeaving: () => false, isStopping: () => false }
    const app = createApp({ served, context: beside, listener: 'socket', log: pino({ level: 'silent' }) })
    const answer = await inject(app.requestListener, { url: '/openapi.json' })
    return answerCheck(answer.json())
  }
  const check = checks.get(key) ?? make()
  checks.set(key, check)
  return check
}

export type TestApi = {
  readonly app: App
  readonly usersFile: string
  readonly accounts: Accounts
  readonly lines: readonly string[]
  readonly auditFile: string
  /** What the audit log tells by now. */
  auditEntries(): readonly Record<string, unknown>[]
  /** A call as curl would make it; rejects when its answer is none that /openapi.json describes. */
  call(options: InjectOptions): Promise<Response>
}

/** An API without sockets: its listener, its users (admin with the password `right` unless told), its log lines. */
export async function testApi(
  more: {
    readonly listener?: Listener
    readonly withAdmin?: boolean
    readonly usersFile?: string
    readonly auditFile?: string
    readonly served?: readonly ServedRoute[]
    readonly context?: Partial<ApiContext>
    readonly streams?: Partial<EventStreamLimits>
    /** The clock of the lock-out, in milliseconds. */
    readonly clock?: () => number
  } = {},
): Promise<TestApi> {
  const folder = temporaryFolder()
  const usersFile = more.usersFile ?? join(folder, 'users.json')
  const auditFile = more.auditFile ?? join(folder, 'audit.jsonl')
  const lockout = createLockout({ now: more.clock ?? (() => performance.now()) })
  const accounts = createAccounts({
    path: usersFile,
    key: randomBytes(32),
    random: randomBytes,
    lockout,
    cost: testCost,
  })
  if (more.withAdmin ?? true) {
    if (existsSync(usersFile)) await accounts.change((file) => putUser(file, admin))
    else writeFileSync(usersFile, formatUserFile(putUser(noUsers, admin)), { mode: 0o600 })
  }
  const served = more.served ?? commonCalls
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
  const now = () => new Date('2025-03-10T10:12:18Z')
  const audit = createAudit({
    file: createAuditFile(auditFile),
    path: auditFile,
    place: { cluster: 'alpha', host: 'db1', component: 'manager' },
    now,
    log,
  })
  let requests = 0
  const context: ApiContext = {
    component: 'manager',
    version: '1.2.3',
    node: 'v24.0.0',
    hostName: 'db1',
    pid: 4711,
    uptime: () => 1500.25,
    now,
    newRequestId: () => {
      requests += 1
      return `request-${requests}`
    },
    accounts,
    lockout,
    routes: served.map(({ route }) => route),
    allowedHosts: ['db1', '10.0.0.11', 'fd00::11'],
    remoteBootstrap: false,
    audit,
    counts: createRequestCounts(),
    isStopAnnounced: () => false,
    isStopping: () => false,
    ...more.context,
  }
  let check: Promise<AnswerCheck> | undefined
  const app = createApp({
    ...{ served, context, listener: more.listener ?? 'tcp', log },
    ...(more.streams && { streams: more.streams }),
  })
  onTestFinished(() => audit.close())
  return {
    app,
    usersFile,
    accounts,
    lines,
    auditFile,
    auditEntries: () =>
      existsSync(auditFile)
        ? readFileSync(auditFile, 'utf8')
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
    call: async (options) => {
      const answer = await inject(app.requestListener, {
        ...options,
        headers: { host: 'db1:8090', ...options.headers },
      })
      check ??= checkOf(served, { ...context, newRequestId: () => 'beside' })
      const { statusCode: status, headers, body } = answer
      const method = options.method ?? 'GET'
      ;(await check)({ method, path: String(options.url), status, headers, body })
      return answer
    },
  }
}
