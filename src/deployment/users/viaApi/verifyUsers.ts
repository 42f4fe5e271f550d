import { get } from '../../../client/calls.ts'
import { StepError } from '../../stepError.ts'
import { summarizeLogins } from '../../verifyHost.ts'
import type { DesiredUsers } from './apiHost.ts'
import { callTimeout, describeTarget, onApi, refusal } from './callApi.ts'

/**
 * Verifies that every API of a host accepts each user with a known password. Returns a short summary; rejects with a
 * `StepError` or a `TransportError`.
 */
export async function verifyUsers({ host, apis, users }: DesiredUsers, signal: AbortSignal): Promise<string> {
  const logins = users.flatMap(({ user, password }) => (password === undefined ? [] : [{ user, password }]))
  const calls = apis.flatMap((api) => logins.map((credentials) => ({ api, credentials })))
  await Promise.all(
    calls.map(async ({ api, credentials }) => {
      const path = `/api/v2/user/${encodeURIComponent(credentials.user.normalize('NFC'))}`
      const caller = { endpoint: api.endpoint, credentials, timeout: callTimeout, signal }
      const outcome = await onApi(host, () => get(caller, path))
      if (!('problem' in outcome)) return
      if (outcome.response.status !== 401) throw refusal(host, api, outcome)
      throw new StepError({
        host,
        code: 'login-not-proved',
        message: `${describeTarget(api)} rejected the login of ${credentials.user}`,
        fix: `Run the command again and see the log of the ${api.component} on ${host}: the user may have been changed in the meantime.`,
      })
    }),
  )
  return summarizeLogins(users)
}
