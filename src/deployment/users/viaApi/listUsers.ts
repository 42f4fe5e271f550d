import { get } from '../../../client/calls.ts'
import type { Credentials } from '../../../client/credentials.ts'
import { listedUsers } from '../../../client/listedUsers.ts'
import { StepError } from '../../stepError.ts'
import type { HostApi } from './apiHost.ts'
import { onApi, patience, placeOf, refusal } from './callApi.ts'

/** The users that an API tells to a login; what it answers instead. */
export type Listed =
  | { readonly kind: 'users'; readonly names: readonly string[]; readonly login: Credentials }
  | { readonly kind: 'refused' }
  | { readonly kind: 'no-user' }

/** Asks an API for its users, with a login or, where the host has no user yet, without. Rejects as `onApi` does. */
export async function listUsers(options: {
  readonly host: string
  readonly api: HostApi
  readonly login: Credentials | undefined
  readonly signal?: AbortSignal
}): Promise<Listed> {
  const { host, api, login, signal } = options
  const caller = {
    endpoint: api.endpoint,
    timeout: patience,
    ...(signal && { signal }),
    ...(login && { credentials: login }),
  }
  const outcome = await onApi(host, () => get(caller, '/api/v2/users'))
  if ('problem' in outcome) {
    if (outcome.answer.status !== 401) throw refusal(host, api, outcome)
    return { kind: outcome.problem.code === 'no-user' ? 'no-user' : 'refused' }
  }
  const names = listedUsers(outcome.value)
  if (names === undefined || login === undefined) {
    throw new StepError({
      host,
      code: 'bad-answer',
      message: `the response of ${placeOf(api)} is not a list of users`,
      fix: 'Install again: another program listens there, or the API is too old.',
    })
  }
  return { kind: 'users', names, login }
}
