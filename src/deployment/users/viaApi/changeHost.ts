import { guarded } from '../../../client/apiPath.ts'
import { createAdminUser, type Outcome, post } from '../../../client/calls.ts'
import type { Credentials } from '../../../client/credentials.ts'
import { envelope } from '../../../client/envelope.ts'
import { TransportError } from '../../../transport/transportError.ts'
import { isUnreachable } from '../../failure.ts'
import type { PlannedStep } from '../../hostPlan.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { change, creation, deletion } from '../../step.ts'
import type { AskedHost, DesiredUsers, HostApi } from './apiHost.ts'
import { onApi, patience, refusal } from './callApi.ts'
import { changeWords, type UserChange } from './planChanges.ts'
import { type Begun, revertHost } from './revertHost.ts'

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

/** What is to be done on a host by calls, and its way back. */
export type UserCalls = { readonly steps: readonly PlannedStep[]; readonly snapshot: Snapshot }

const tellOf = { create: creation, reset: change, remove: deletion } as const

/**
 * The steps of a host that is changed by calls of one of its APIs; the others share its users. Each call is made
 * with a login that was good a moment ago: what a step makes or resets is the login of those behind it, since the
 * operator's own login may be a user that is to go.
 */
export function userCalls(options: {
  readonly wish: DesiredUsers
  readonly asked: AskedHost
  readonly changes: readonly UserChange[]
}): UserCalls {
  const { wish, asked, changes } = options
  const { host, users, apis } = wish
  const [api] = apis
  if (api === undefined) throw new Error('a host without APIs was to be changed')
  const fitting = users.find(({ user }) => asked.fitting.includes(user))
  let login: Credentials | undefined =
    fitting?.password === undefined ? asked.login : { user: fitting.user, password: fitting.password }
  const begun: Begun[] = []
  const carryOut = async (one: UserChange): Promise<void> => {
    begun.push({ change: one, done: false })
    const outcome = await makeChange({ host, api }, one, login).catch((error: unknown) => {
      throw withState(error, begun)
    })
    if ('problem' in outcome) throw refusal(host, api, outcome)
    begun.splice(-1, 1, { change: one, done: true })
    if (one.kind !== 'remove') login = one.login
  }
  const steps = changes.map((one): PlannedStep => {
    const planned = tellOf[one.kind](changeWords(one))
    const title = planned.summary
    const step = { id: 'users', title, phase: 'commit', check: () => planned } as const
    return { change: planned, step: { ...step, apply: () => carryOut(one) } }
  })
  const snapshot: Snapshot = {
    restore: () => revertHost({ wish, asked, api }, begun),
  }
  return { steps, snapshot }
}

/** Of a host that is gone, what is known of its users: nothing can be taken back there. */
function withState(error: unknown, begun: readonly Begun[]): unknown {
  if (!(error instanceof TransportError) || !isUnreachable(error)) return error
  const words = (is: boolean): string =>
    begun
      .filter(({ done }) => done === is)
      .map((one) => changeWords(one.change))
      .join(', ')
  const { host, code, message, fix } = error
  const sentences = [
    message,
    ...(words(true) === '' ? [] : [`Completed there: ${words(true)}.`]),
    `Unknown result: ${words(false)}.`,
  ]
  return new TransportError({ host, code, message: sentences.join('\n'), fix, cause: error })
}
