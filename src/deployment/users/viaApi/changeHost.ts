import { guarded } from '../../../client/apiPath.ts'
import { type Caller, createAdminUser, post } from '../../../client/calls.ts'
import type { Credentials } from '../../../client/credentials.ts'
import { envelope } from '../../../client/envelope.ts'
import type { PlannedStep } from '../../preview.ts'
import { change } from '../../step.ts'
import type { AskedHost, HostWish } from './apiHost.ts'
import { onApi, patience, refusal } from './callApi.ts'
import { changeWords, type UserChange } from './planChanges.ts'

/**
 * The steps of a host that is changed by calls of one of its APIs; the others share its users. Each call is made
 * with a login that was good a moment ago: what a step makes or resets is the login of those behind it, since the
 * operator's own login may be a user that is to go.
 */
export function userCalls(options: {
  readonly wish: HostWish
  readonly asked: AskedHost
  readonly changes: readonly UserChange[]
}): readonly PlannedStep[] {
  const { wish, asked, changes } = options
  const isFitting = ({ user }: { readonly user: string }): boolean => asked.fitting.includes(user)
  const fitting = wish.users.find(isFitting)
  let login: Credentials | undefined =
    fitting?.password === undefined ? asked.login : { user: fitting.user, password: fitting.password }
  return changes.map((one) => ({
    change: change(changeWords(one)),
    step: {
      id: 'users',
      title: changeWords(one),
      phase: 'commit',
      check: () => change(changeWords(one)),
      apply: async () => {
        await carryOut(wish, one, login)
        if (one.kind !== 'remove') login = one.login
      },
    },
  }))
}

async function carryOut(
  { host, apis: [api] }: HostWish,
  one: UserChange,
  login: Credentials | undefined,
): Promise<void> {
  if (api === undefined) throw new Error('a host without APIs was to be changed')
  const caller: Caller = {
    endpoint: api.endpoint,
    timeout: patience,
    ...(login && { credentials: login }),
  }
  const outcome = await onApi(host, () =>
    one.kind === 'remove'
      ? post(caller, {
          path: guarded('/api/v2/deleteUser'),
          body: envelope('StringPayload', { value: one.user.normalize('NFC') }),
        })
      : createAdminUser(caller, one.login),
  )
  if ('problem' in outcome) throw refusal(host, api, outcome)
}
