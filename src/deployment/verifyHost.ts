import { setTimeout as wait } from 'node:timers/promises'
import { shortListOf } from '../base/words.ts'
import type { CallClock, CallRequest, CallResult } from '../client/call.ts'
import { listedUser } from '../client/calls.ts'
import type { AccessLevel } from '../contracts/accessLevels.ts'
import { commonRoutes } from '../contracts/commonRoutes.ts'
import type { Component } from '../contracts/component.ts'
import { callOf } from '../contracts/routeCall.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import type { Secret } from '../secrets/secret.ts'
import type { Transport } from '../transport/transport.ts'
import { callHost, endedComponent } from './callHost.ts'
import type { ServiceAccount } from './serviceAccount.ts'
import { describeFailure, serviceFailure } from './services/serviceFailure.ts'
import { StepError } from './stepError.ts'
import type { DesiredUser, Target } from './target.ts'

/** Milliseconds in which a component must respond after its start. */
const startTimeout = 20_000

/**
 * Milliseconds for one response: a host that has just started checks all passwords at once, each by a scrypt in each
 * component.
 */
const responseTimeout = 20_000

/**
 * Milliseconds to wait for a locked user: slightly longer than a lock-out. A retry does not count as a guess, so
 * retries are frequent: `muster users unlock` may end the lock-out meanwhile.
 */
const lockTimeout = 310_000
const lockPause = 10_000

const realClock: CallClock = { now: () => performance.now(), wait }

/** Values to verify on a host; a `Target` is one. */
export type VerificationTarget = Pick<
  Target,
  'cluster' | 'layout' | 'data' | 'authorities' | 'leaf' | 'users'
> & {
  readonly host: Pick<Target['host'], 'name'>
  readonly service: ServiceAccount & Pick<Target['service'], 'manager'>
  readonly components: readonly VerificationComponent[]
  /** Users that this run removed and no component may accept any more. */
  readonly removedUsers?: readonly string[]
  /** True if all components were running before this run: they respond at once. */
  readonly running?: boolean
}

type VerificationComponent = {
  readonly component: Component
  readonly settings: Pick<ServerSettings, 'listen' | 'socket'>
}

/** Expected response of one call. */
export type ExpectedResponse = {
  readonly request: CallRequest
  readonly component: VerificationComponent
  readonly expected: number
  /** Level that the response must show. */
  readonly access?: AccessLevel
}

/**
 * Verifies an installation: every enabled API accepts each user over TCP and TLS at its configured address and
 * presents the certificate in the host's files; a disabled one responds on its socket; a replaced password is
 * refused. Without a known password it only checks that they respond. Waits until each component responds, and for a
 * lock-out to end. Returns a short summary; rejects with a `StepError`.
 */
export async function verifyHost(
  transport: Transport,
  target: VerificationTarget,
  clock: CallClock = realClock,
): Promise<string> {
  const calls = expectedResponses(target)
  const results = await retryWhileLocked(clock, () => callAll(transport, target, calls))
  // Then nothing is known about the others.
  const ended = endedComponent(results)
  const decisive = calls.filter(({ component }) => ended === undefined || component.component === ended)
  for (const call of decisive) {
    const result = results.find(({ id }) => id === (ended ?? call.request.id))
    if (result !== undefined && isExpected(call, result)) continue
    throw await failure({ transport, target, call, result })
  }
  return summarizeLogins(target.users)
}

/** Retries while the response says that the user is locked. */
async function retryWhileLocked(
  clock: CallClock,
  ask: () => Promise<readonly CallResult[]>,
): Promise<readonly CallResult[]> {
  const deadline = clock.now() + lockTimeout
  for (;;) {
    const results = await ask()
    const pauses = results.flatMap((result) =>
      isLockedOut(result)
        ? [Math.min((result.retryAfter ?? Number.POSITIVE_INFINITY) * 1000, lockPause)]
        : [],
    )
    if (pauses.length === 0 || clock.now() + Math.max(...pauses) > deadline) return results
    await clock.wait(Math.max(...pauses))
  }
}

const isLockedOut = (result: CallResult): result is CallResult & { readonly retryAfter?: number } =>
  'status' in result && result.status === 429

const callAll = (
  transport: Transport,
  target: VerificationTarget,
  calls: readonly ExpectedResponse[],
): Promise<readonly CallResult[]> =>
  callHost({
    transport,
    layout: target.layout,
    account: target.service,
    requests: calls.map(({ request }) => request),
    running: target.running === true,
    // Plus time for Node.js to start, so that the host itself reports what did not respond.
    timeout: startTimeout + responseTimeout + 10_000,
    until: {
      ...{ manager: target.service.manager, cluster: target.cluster, layout: target.layout },
      account: target.service,
      components: target.components.map(({ component }) => component),
    },
  })

/** Summarizes the verified logins. */
function summarizeLogins(users: readonly Pick<DesiredUser, 'user' | 'password'>[]): string {
  const unknown = users.filter(({ password }) => password === undefined).map(({ user }) => user)
  if (unknown.length === users.length) return 'every API answers'
  if (unknown.length === 0) return 'logins verified'
  return `logins verified, except ${shortListOf(unknown)}: password unknown here`
}

/** Returns the calls that verify an installation, with passwords. */
export const expectedResponses = (target: VerificationTarget): readonly ExpectedResponse[] =>
  target.components.flatMap((component) => responsesOf(target, component))

function responsesOf(target: VerificationTarget, component: VerificationComponent): ExpectedResponse[] {
  const { settings } = component
  const { users } = target
  const socket = { socket: settings.socket }
  const base = { timeout: responseTimeout, retryUntil: startTimeout }
  const callFor = (user: string) => ({ ...callOf(commonRoutes.user, { user }), ...base })
  const name = component.component
  const { leaf: certificate, authorities } = target
  const tls = { authorities, ...(certificate === undefined ? {} : { certificate }) }
  const place = settings.listen === null ? socket : { ...settings.listen, ...tls }
  const logins = users
    .flatMap((user) => loginOf(user, user.password).map((login) => ({ login, access: user.access })))
    .map(({ login, access }): ExpectedResponse => {
      const request = { ...callFor(login.user), id: `${name} ${login.user}`, target: place }
      return {
        component,
        expected: 200,
        request: { ...request, credentials: login },
        ...(access && { access }),
      }
    })
  const ping = { ...callOf(commonRoutes.ping), id: name, target: place, ...base }
  const calls = logins.length > 0 ? logins : [{ component, expected: 200, request: ping }]
  const refusals = users
    .flatMap((user) => loginOf(user, user.previous))
    .map((old): ExpectedResponse => {
      const request = { ...callFor(old.user), id: `${name} ${old.user} old`, target: socket }
      return { component, expected: 401, request: { ...request, credentials: old } }
    })
  const removed = (target.removedUsers ?? []).map((user): ExpectedResponse => {
    const request = { ...callFor(user), id: `${name} ${user} gone`, target: socket }
    return { component, expected: 404, request }
  })
  return [...calls, ...refusals, ...removed]
}

/** Returns the level that a response shows instead of the expected one. */
function otherAccess({ access }: ExpectedResponse, result: CallResult | undefined): AccessLevel | undefined {
  if (access === undefined || result === undefined || !('status' in result)) return undefined
  const shown = listedUser(result.body)?.access
  return shown === access ? undefined : shown
}

function isExpected(call: ExpectedResponse, result: CallResult): boolean {
  const { request, expected } = call
  if (!('status' in result) || result.status !== expected) return false
  if (otherAccess(call, result) !== undefined) return false
  return 'socket' in request.target || result.certificate === request.target.certificate
}

const loginOf = (
  { user }: DesiredUser,
  password: Secret | undefined,
): readonly { user: string; password: string }[] =>
  password === undefined ? [] : [{ user, password: password.reveal() }]

async function failure(options: {
  readonly transport: Transport
  readonly target: VerificationTarget
  readonly call: ExpectedResponse
  readonly result: CallResult | undefined
}): Promise<StepError> {
  const { transport, target, call, result } = options
  const { component, settings } = call.component
  const user = call.request.credentials?.user
  const where =
    settings.listen === null ? settings.socket : `${settings.listen.address}:${settings.listen.port}`
  const set = {
    manager: target.service.manager,
    cluster: target.cluster,
    account: target.service,
    data: target.data,
  }
  const lines = describeFailure(await serviceFailure(transport, set, component))
  const access = otherAccess(call, result)
  if (access !== undefined) {
    return new StepError({
      host: target.host.name,
      code: 'access-not-proved',
      message: `the ${component} at ${where} shows ${user} with the access level ${access} instead of ${call.access}${lines}`,
      fix: `See \`muster users list --host ${target.host.name}\`: the level may have been changed meanwhile. Then run the command again.`,
    })
  }
  const other = certificateFailure(result, call)
  if (other !== undefined) {
    return new StepError({
      host: target.host.name,
      code: 'certificate-not-shown',
      message: `the ${component} at ${where} ${withoutAbort(other.message)}${lines}`,
      fix: other.fix,
    })
  }
  const said = result !== undefined && 'status' in result ? `answered ${result.status}` : 'gave no answer'
  const because = result !== undefined && 'error' in result ? `: ${withoutAbort(result.error.message)}` : ''
  if (user !== undefined && result !== undefined && isLockedOut(result)) {
    return new StepError({
      host: target.host.name,
      code: 'login-not-proved',
      message: `the ${component} at ${where} has locked out ${user}: too many wrong passwords were sent from the address of this login${lines}`,
      fix: `Find the sender in the audit log or the log of the ${component}, run \`muster users unlock ${user}\`, then run the command again.`,
    })
  }
  if (call.expected === 404) {
    return new StepError({
      host: target.host.name,
      code: 'removed-user-there',
      message: `the ${component} at ${settings.socket} ${said}${because} when asked for a removed user${lines}`,
      fix: `See \`muster users list --host ${target.host.name}\`: the user may have been created again. Then run the command again.`,
    })
  }
  return new StepError({
    host: target.host.name,
    code: call.expected === 401 ? 'old-password-accepted' : 'login-not-proved',
    message:
      call.expected === 401
        ? `the ${component} at ${where} ${said}${because} to the replaced password of ${user} instead of rejecting it`
        : `the ${component} at ${where} ${said}${because === '' ? ` instead of ${user === undefined ? 'answering a ping' : `accepting the login of ${user}`}` : because}${lines}`,
    fix: `See \`muster status\` and the log of the ${component} on ${target.host.name}, then install again.`,
  })
}

/** Returns the problem of the presented certificate, if the response itself is correct. */
function certificateFailure(
  result: CallResult | undefined,
  { expected }: ExpectedResponse,
): { readonly message: string; readonly fix: string } | undefined {
  if (result === undefined) return undefined
  if ('status' in result) {
    if (result.status !== expected) return undefined
    return {
      message: 'runs a release that cannot report the certificate it serves.',
      fix: 'Run `muster upgrade`, then this command again.',
    }
  }
  if (result.error.code !== 'certificate-other') return undefined
  return {
    message: `does not serve the certificate of its files. ${result.error.message}`,
    fix: 'Fix the reason given in its log, then run this command again. `muster restart` also reloads the files.',
  }
}

const withoutAbort = (sentence: string): string => sentence.replace(/\.$/, '')
