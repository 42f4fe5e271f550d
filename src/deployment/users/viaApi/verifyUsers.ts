import { user as readUser } from '../../../client/calls.ts'
import { StepError } from '../../stepError.ts'
import { summarizeLogins } from '../../verifyHost.ts'
import type { DesiredUsers } from './apiHost.ts'
import { callTimeout, describeTarget, onApi, refusal } from './callApi.ts'

/**
 * Verifies that every API of a host accepts each user with a known password. Returns a short summary; rejects with a
 * `StepError` or a `TransportError`.
 */
export async function verifyUsers({ host, apis, users }: DesiredUsers, signal: AbortSignal): Promise<string> {
  const logins = users.flatMap(({ user, password, access }) =>
    password === undefined ? [] : [{ credentials: { user, password }, access }],
  )
  const calls = apis.flatMap((api) => logins.map((login) => ({ api, ...login })))
  await Promise.all(
    calls.map(async ({ api, credentials, access }) => {
      const caller = { endpoint: api.endpoint, credentials, timeout: callTimeout, signal }
      const outcome = await onApi(host, () => readUser(caller, credentials.user))
      if (!('problem' in outcome)) {
        if (outcome.value.access === access) return
        throw new StepError({
          host,
          code: 'access-not-proved',
          message: `${describeTarget(api)} shows ${credentials.user} with the access level ${outcome.value.access} instead of ${access}`,
          fix: 'Run the command again: the level may have been changed in the meantime.',
        })
      }
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
