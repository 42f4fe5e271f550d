import { guarded } from '../../../client/apiPath.ts'
import { createAdminUser, type Outcome, post } from '../../../client/calls.ts'
import type { Credentials } from '../../../client/credentials.ts'
import { envelope } from '../../../client/envelope.ts'
import type { HostApi } from './apiHost.ts'
import { onApi, patience } from './callApi.ts'
import type { UserChange } from './planChanges.ts'

/** Makes one change by an API of a host, with a login that is good now. Rejects as `onApi` does. */
export function makeChange(
  { host, api }: { readonly host: string; readonly api: HostApi },
  change: UserChange,
  login: Credentials | undefined,
): Promise<Outcome<unknown>> {
  const caller = { endpoint: api.endpoint, timeout: patience, ...(login && { credentials: login }) }
  return onApi(host, () =>
    change.kind === 'remove'
      ? post(caller, {
          path: guarded('/api/v2/deleteUser'),
          body: envelope('StringPayload', { value: change.user.normalize('NFC') }),
        })
      : createAdminUser(caller, change.login),
  )
}
