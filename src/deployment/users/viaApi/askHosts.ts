import { listOf } from '../../../base/words.ts'
import { ping } from '../../../client/calls.ts'
import type { Credentials } from '../../../client/credentials.ts'
import type { Emit, Failure } from '../../events.ts'
import { failureOf, isUnreachable } from '../../hostFailure.ts'
import { mapHosts } from '../../mapHosts.ts'
import { StepError } from '../../stepError.ts'
import { type AskedHost, type DesiredUsers, type HostApi, isSameUser, levelOf } from './apiHost.ts'
import { callTimeout, describeTarget, onApi, refusal } from './callApi.ts'
import { type ListedUsers, listUsers, requireFirstUserAllowed } from './listUsers.ts'

/**
 * Asks every API of a host without changing anything: whether it responds, which users the host has, and whether each
 * desired user can log in. Rejects with a `StepError` or a `TransportError` if the host could not be changed: an API
 * does not respond, no login is known, or the first user may not be created from here.
 */
export async function askHost(desired: DesiredUsers, signal: AbortSignal): Promise<AskedHost> {
  const { host, apis, users } = desired
  const [first] = apis
  if (first === undefined) throw new Error('askHost was called for a host without APIs')
  await Promise.all(apis.map((api) => requireResponse(host, api, signal)))
  const ask = (api: HostApi, login: Credentials | undefined): Promise<ListedUsers> =>
    listUsers({ host, api, login, signal })
  const passwords = users.flatMap(({ user, password }) => (password === undefined ? [] : { user, password }))
  const answered = await Promise.all(passwords.map((login) => ask(first, login)))
  const upToDate = answered.flatMap((one) => (one.kind === 'users' ? [one] : []))
  const tried: Credentials[] = []
  const listed =
    upToDate.find(isFull) ??
    (await firstAccepted(desired, { lower: upToDate[0], tried, ask: (login) => ask(first, login) }))
  if (listed.kind === 'no-user') {
    await requireFirstUserAllowed({ host, api: first, signal })
    return { present: [], upToDate: [], previousLogins: [] }
  }
  if (listed.kind === 'refused') throw noLogin(desired, first)
  for (const api of apis.slice(1)) {
    if ((await ask(api, listed.login)).kind !== 'users') throw otherApisRefuse(host, api, listed.login)
  }
  const { users: present, login } = listed
  const answers = { present, upToDate: upToDate.map((one) => one.login.user), login, tried }
  const previousLogins = await loginsBefore(desired, answers, (one) => ask(first, one))
  return { present, upToDate: answers.upToDate, login, previousLogins }
}

/** Number of further passwords tried per user: five failures would lock it out. */
const maxTries = 2

/**
 * Finds accepted logins of users whose password changes or who are removed, for a restore. Each wrong password counts
 * as a failure, so few are tried, none twice, and none for a user with a known login.
 */
async function loginsBefore(
  { users, logins }: DesiredUsers,
  {
    present,
    upToDate,
    login,
    tried,
  }: { readonly login: Credentials; readonly tried: readonly Credentials[] } & Pick<
    AskedHost,
    'present' | 'upToDate'
  >,
  ask: (login: Credentials) => Promise<ListedUsers>,
): Promise<readonly Credentials[]> {
  const good = tried.includes(login) ? [login] : []
  const failed: Credentials[] = []
  for (const one of logins) {
    const isIn = (names: readonly string[]): boolean => names.some((name) => isSameUser(name, one.user))
    const isKnown = isIn(upToDate) || isIn(good.map(({ user }) => user))
    const concerned = levelOf(present, one.user) !== undefined && isIn(users.map(({ user }) => user))
    const tries = failed.filter(({ user }) => isSameUser(user, one.user)).length
    if (tried.includes(one) || isKnown || !concerned || tries >= maxTries) continue
    ;((await ask(one)).kind === 'users' ? good : failed).push(one)
  }
  return good
}

/** Returns true if the user who lists the users may also change them. */
const isFull = (listed: ListedUsers): boolean =>
  listed.kind === 'users' && levelOf(listed.users, listed.login.user) === 'full'

/** Returns the answer to the first login of the level `full`; without one, to the first that was accepted. */
async function firstAccepted(
  { logins }: DesiredUsers,
  options: {
    readonly lower: ListedUsers | undefined
    /** Gets the logins that were tried. */
    readonly tried: Credentials[]
    readonly ask: (login: Credentials | undefined) => Promise<ListedUsers>
  },
): Promise<ListedUsers> {
  const { tried, ask } = options
  let { lower } = options
  for (const login of logins) {
    tried.push(login)
    const answer = await ask(login)
    if (answer.kind === 'no-user' || isFull(answer)) return answer
    if (answer.kind === 'users') lower ??= answer
  }
  // A host without users says so even without a login.
  return lower ?? ask(undefined)
}

async function requireResponse(host: string, api: HostApi, signal: AbortSignal): Promise<void> {
  const outcome = await onApi(host, () => ping({ endpoint: api.endpoint, timeout: callTimeout, signal }))
  if ('problem' in outcome) throw refusal(host, api, outcome)
}

function noLogin({ host, users, logins }: DesiredUsers, api: HostApi): StepError {
  const known = users.filter(({ password }) => password !== undefined)
  const names = [...new Set([...known, ...logins].map(({ user }) => user))]
  const tried =
    names.length === 0
      ? 'their passwords are unknown here'
      : `it rejected every login whose password is known here: ${listOf(names)}`
  return new StepError({
    host,
    code: 'no-login',
    message: `${describeTarget(api)} has users, but ${tried}`,
    fix: 'Log in as an existing user: --login USER with --login-password-file FILE or --login-password-stdin.',
  })
}

const otherApisRefuse = (host: string, api: HostApi, { user }: Credentials): StepError =>
  new StepError({
    host,
    code: 'other-users',
    message: `${describeTarget(api)} rejected the login of ${user}, which another API of the host accepted`,
    fix: `See \`muster status\` and install ${host} again: the APIs of a host share one user file.`,
  })

/** Answers of a host, or why it could not be changed. */
type Asked =
  | { readonly desired: DesiredUsers; readonly asked: AskedHost }
  | { readonly desired: DesiredUsers; readonly failure: Failure; readonly unreachable: boolean }

/** Asks all hosts before any of them is changed; a failure belongs to its host. */
export const askHosts = (options: {
  readonly desiredUsers: readonly DesiredUsers[]
  readonly forks: number | undefined
  readonly signal: AbortSignal
  readonly emit: Emit
}): Promise<readonly Asked[]> =>
  mapHosts({
    items: options.desiredUsers,
    forks: options.forks,
    map: async (desired): Promise<Asked> => {
      const { emit, signal } = options
      const { host } = desired
      emit({ type: 'phase-started', host, phase: 'facts' })
      try {
        return { desired, asked: await askHost(desired, signal) }
      } catch (error) {
        const failure = failureOf(error)
        emit({ type: 'host-failed', host, failure })
        return { desired, failure, unreachable: isUnreachable(error) }
      }
    },
  })
