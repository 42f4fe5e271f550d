import { get, type ListedUser, listedUsers, post } from '../../../client/calls.ts'
import type { Credentials } from '../../../client/credentials.ts'
import { envelope } from '../../../client/envelope.ts'
import { StepError } from '../../stepError.ts'
import type { HostApi } from './apiHost.ts'
import { callTimeout, describeTarget, onApi, refusal } from './callApi.ts'

/**
 * Asks whether the first user of a host may be created from here. The call lacks its guard, so it changes nothing
 * (contract.md, "Guarded operations"): a permitted caller gets 400 for the missing guard, another one 403 before
 * that. Rejects with a `StepError` if it is not permitted.
 */
export async function requireFirstUserAllowed(options: {
  readonly host: string
  readonly api: HostApi
  readonly signal: AbortSignal
}): Promise<void> {
  const { host, api, signal } = options
  const outcome = await onApi(host, () =>
    post(
      { endpoint: api.endpoint, timeout: callTimeout, signal },
      { path: '/api/v2/createAdminUser', body: envelope('CredentialsPayload', {}) },
    ),
  )
  if (!('problem' in outcome) || outcome.response.status === 400) return
  if (outcome.problem.code !== 'remote-bootstrap') throw refusal(host, api, outcome)
  throw new StepError({
    host,
    code: 'remote-bootstrap',
    message: `the host has no user yet, and ${describeTarget(api)} does not allow another host to create the first one`,
    fix: `Run \`muster install\` or \`muster users apply\` over SSH, which need no API login; or run this on ${host}; or set rest-api-remote-bootstrap: true and install.`,
  })
}

/** Users of a host as its API lists them, or its other response. */
export type ListedUsers =
  | { readonly kind: 'users'; readonly users: readonly ListedUser[]; readonly login: Credentials }
  | { readonly kind: 'refused' }
  | { readonly kind: 'no-user' }

/** Asks an API for its users, with a login or, if the host has no user yet, without. Rejects as `onApi` does. */
export async function listUsers(options: {
  readonly host: string
  readonly api: HostApi
  readonly login: Credentials | undefined
  readonly signal?: AbortSignal
}): Promise<ListedUsers> {
  const { host, api, login, signal } = options
  const caller = {
    endpoint: api.endpoint,
    timeout: callTimeout,
    ...(signal && { signal }),
    ...(login && { credentials: login }),
  }
  const outcome = await onApi(host, () => get(caller, '/api/v2/users'))
  if ('problem' in outcome) {
    if (outcome.response.status !== 401) throw refusal(host, api, outcome)
    return { kind: outcome.problem.code === 'no-user' ? 'no-user' : 'refused' }
  }
  const users = listedUsers(outcome.value)
  if (users === undefined || login === undefined) {
    throw new StepError({
      host,
      code: 'bad-answer',
      message: `the response of ${describeTarget(api)} is not a list of users`,
      fix: 'Install again: another program listens there, or the API is too old.',
    })
  }
  return { kind: 'users', users, login }
}
