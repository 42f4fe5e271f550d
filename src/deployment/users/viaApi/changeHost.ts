import { listOf } from '../../../base/words.ts'
import { withGuard } from '../../../client/apiPath.ts'
import { createAdminUser, type Outcome, post } from '../../../client/calls.ts'
import type { Credentials } from '../../../client/credentials.ts'
import { envelope } from '../../../client/envelope.ts'
import type { AccessLevel } from '../../../contracts/accessLevels.ts'
import { TransportError } from '../../../transport/transportError.ts'
import { isUnreachable } from '../../hostFailure.ts'
import type { PlannedStep } from '../../hostPlan.ts'
import type { Restored, Snapshot } from '../../snapshot/snapshot.ts'
import { change, creation, deletion } from '../../step.ts'
import { StepError } from '../../stepError.ts'
import { type AskedHost, type DesiredUsers, type HostApi, levelOf } from './apiHost.ts'
import { callTimeout, describeTarget, onApi, refusal } from './callApi.ts'
import { listUsers } from './listUsers.ts'
import { describeChange, type UserChange } from './planChanges.ts'

/** Makes one change by an API of a host, with a valid login. Rejects as `onApi` does. */
function makeChange(
  { host, api }: { readonly host: string; readonly api: HostApi },
  change: UserChange,
  login: Credentials | undefined,
): Promise<Outcome<unknown>> {
  const caller = { endpoint: api.endpoint, timeout: callTimeout, ...(login && { credentials: login }) }
  return onApi(host, () =>
    change.kind === 'remove'
      ? post(caller, {
          path: withGuard('/api/v2/deleteUser'),
          body: envelope('StringPayload', { value: change.user.normalize('NFC') }),
        })
      : createAdminUser(caller, { ...change.login, access: change.access }),
  )
}

/** Steps of a host by API calls, and their restore. */
export type UserCalls = { readonly steps: readonly PlannedStep[]; readonly snapshot: Snapshot }

const changeOf = { create: creation, reset: change, level: change, remove: deletion } as const

/**
 * Returns the steps that change a host by calls of one of its APIs; the others share its users. Each call uses a
 * login that was valid a moment ago and has the level `full`: the result of one step is the login of the next, because
 * the operator's own login may be a user that is removed or lowered.
 */
export function userCalls(options: {
  readonly desired: DesiredUsers
  readonly asked: AskedHost
  readonly changes: readonly UserChange[]
}): UserCalls {
  const { desired, asked, changes } = options
  const { host, users, apis } = desired
  const [api] = apis
  if (api === undefined) throw new Error('userCalls was called for a host without APIs')
  const upToDate = users.find(
    ({ user, access }) =>
      access === 'full' && asked.upToDate.includes(user) && levelOf(asked.present, user) === 'full',
  )
  let login: Credentials | undefined =
    upToDate?.password === undefined ? asked.login : { user: upToDate.user, password: upToDate.password }
  const started: StartedChange[] = []
  const applyChange = async (one: UserChange): Promise<void> => {
    started.push({ change: one, done: false })
    const outcome = await makeChange({ host, api }, one, login).catch((error: unknown) => {
      throw addUserState(error, started)
    })
    if ('problem' in outcome) throw refusal(host, api, outcome)
    started.splice(-1, 1, { change: one, done: true })
    if (one.kind !== 'remove' && one.access === 'full') login = one.login
  }
  const steps = changes.map((one): PlannedStep => {
    const planned = changeOf[one.kind](describeChange(one))
    const title = planned.summary
    const step = { id: 'users', title, phase: 'commit', check: () => planned } as const
    return { change: planned, step: { ...step, apply: () => applyChange(one) } }
  })
  const snapshot: Snapshot = {
    restore: () => revertHost({ desired, asked, api }, started),
  }
  return { steps, snapshot }
}

/** Adds the known state of the users to the failure of an unreachable host, which cannot be restored. */
function addUserState(error: unknown, started: readonly StartedChange[]): unknown {
  if (!(error instanceof TransportError) || !isUnreachable(error)) return error
  const words = (is: boolean): string =>
    started
      .filter(({ done }) => done === is)
      .map((one) => describeChange(one.change))
      .join(', ')
  const { host, code, message, fix } = error
  const sentences = [
    message,
    ...(words(true) === '' ? [] : [`Completed there: ${words(true)}.`]),
    `Unknown result: ${words(false)}.`,
  ]
  return new TransportError({ host, code, message: sentences.join('\n'), fix, cause: error })
}

/** Change that was started; `done` if the API confirmed it. */
type StartedChange = { readonly change: UserChange; readonly done: boolean }

type Host = { readonly desired: DesiredUsers; readonly asked: AskedHost; readonly api: HostApi }

/** Valid logins by user in NFC, with the levels of the users. */
type Logins = Map<string, { readonly login: Credentials; readonly access: AccessLevel }>

/**
 * Reverts these changes of a host, newest first, as far as the passwords are known here; returns what remains.
 * Rejects with a `StepError` or a `TransportError` if the host refuses.
 */
async function revertHost(host: Host, started: readonly StartedChange[]): Promise<Restored> {
  const { desired, asked } = host
  const before = loginsOf(host)
  const now: Logins = new Map(before)
  const happened: UserChange[] = []
  for (const { change, done } of started) {
    if (!done && !(await wasApplied(host, change, now))) continue
    happened.push(change)
    updateLogins(now, change)
  }
  const reverted: string[] = []
  const stays: string[] = []
  for (const change of happened.toReversed()) {
    const why = await revertChange(host, change, { before, now })
    if (why === undefined) reverted.push(describeChange(change))
    else stays.push(why)
  }
  if (stays.length === 0) {
    await requireLogin(host, asked.login)
    return reverted.length === 0 ? 'No user was changed there.' : `Undone: ${reverted.join(', ')}.`
  }
  const back = reverted.length === 0 ? '' : `Undone: ${reverted.join(', ')}. `
  return { partial: `${back}On ${desired.host} ${listOf(stays)}.` }
}

const nameOf = (change: UserChange): string =>
  (change.kind === 'remove' ? change.user : change.login.user).normalize('NFC')

function loginsOf({ desired, asked }: Host): Logins {
  const upToDate = desired.users.flatMap(({ user, password }) =>
    password !== undefined && asked.upToDate.includes(user) ? [{ user, password }] : [],
  )
  const all = [...asked.previousLogins, ...(asked.login ? [asked.login] : []), ...upToDate]
  const levelled = all.map((login) => ({ login, access: levelOf(asked.present, login.user) ?? 'full' }))
  return new Map(levelled.map((one) => [one.login.user.normalize('NFC'), one]))
}

function updateLogins(now: Logins, change: UserChange): void {
  if (change.kind === 'remove') now.delete(nameOf(change))
  else now.set(nameOf(change), { login: change.login, access: change.access })
}

/** Returns a valid login of the level `full`, preferably of a user other than the one to be changed. */
function pickLogin(now: Logins, about: string): Credentials | undefined {
  const full = [...now].filter(([, { access }]) => access === 'full')
  return (full.find(([user]) => user !== about) ?? full[0])?.[1].login ?? now.get(about)?.login
}

/** Returns true if a change took place although its response was lost or was a problem. */
async function wasApplied({ desired, api }: Host, change: UserChange, now: Logins): Promise<boolean> {
  const { host } = desired
  if (change.kind !== 'remove') {
    const listed = await listUsers({ host, api, login: change.login })
    return listed.kind === 'users' && levelOf(listed.users, nameOf(change)) === change.access
  }
  const listed = await listUsers({ host, api, login: pickLogin(now, nameOf(change)) })
  return listed.kind === 'users' && levelOf(listed.users, change.user) === undefined
}

/** Reverts one change; returns what remains if that is not possible. */
async function revertChange(
  { desired, api }: Host,
  change: UserChange,
  { before, now }: { readonly before: Logins; readonly now: Logins },
): Promise<string | undefined> {
  const { host } = desired
  const user = nameOf(change)
  const old = before.get(user)
  if (change.kind !== 'create' && old === undefined) {
    return change.kind !== 'remove'
      ? `${user} keeps the password of the file, because the previous one is unknown here`
      : `${user} stays removed, because its password is unknown here`
  }
  const back: UserChange = old === undefined ? { kind: 'remove', user } : { kind: 'reset', ...old }
  const outcome = await makeChange({ host, api }, back, pickLogin(now, user))
  if ('problem' in outcome) {
    if (outcome.problem.code === 'last-user')
      return `${user} stays, because an API keeps the last user with the access level full`
    throw refusal(host, api, outcome)
  }
  updateLogins(now, back)
  return undefined
}

async function requireLogin({ desired, api }: Host, login: Credentials | undefined): Promise<void> {
  if (login === undefined) return
  const { host } = desired
  if ((await listUsers({ host, api, login })).kind === 'users') return
  throw new StepError({
    host,
    code: 'login-not-proved',
    message: `${describeTarget(api)} now rejects the login of ${login.user}, which it accepted before`,
    fix: `Run \`muster users list --host ${host}\` over SSH, or use another --login: the user may have been changed in the meantime.`,
  })
}
