import { get, type Outcome, ping } from '../../../client/calls.ts'
import type { Credentials } from '../../../client/credentials.ts'
import { readEnvelope } from '../../../client/envelope.ts'
import { listOf } from '../../../diagnostics/words.ts'
import { StepError } from '../../stepError.ts'
import type { AskedHost, HostApi, HostWish } from './apiHost.ts'
import { onApi, patience, placeOf, refusal } from './callApi.ts'
import { mayMakeFirst } from './mayMakeFirst.ts'

/** The users that an API tells to a login; what it answers instead. */
type Listed =
  | { readonly kind: 'users'; readonly names: readonly string[]; readonly login: Credentials }
  | { readonly kind: 'refused' }
  | { readonly kind: 'no-user' }

/**
 * Asks every API of a host, and changes nothing: whether it answers, which users the host has, and whether each
 * wanted one is let in with its password. Rejects with a `StepError` or a `TransportError` where the host could not
 * be changed: an API is silent, no login is known, or nobody may make the first user from here.
 */
export async function askHost(wish: HostWish, signal: AbortSignal): Promise<AskedHost> {
  const { host, apis, users } = wish
  const [first] = apis
  if (first === undefined) throw new Error('a host without APIs was to be asked')
  await Promise.all(apis.map((api) => mustAnswer(host, api, signal)))
  const ask = (api: HostApi, login: Credentials | undefined): Promise<Listed> =>
    list({ host, api, login, signal })
  const passwords = users.flatMap(({ user, password }) => (password === undefined ? [] : { user, password }))
  const tried = await Promise.all(passwords.map((login) => ask(first, login)))
  const fitting = tried.flatMap((one) => (one.kind === 'users' ? [one] : []))
  const listed = fitting[0] ?? (await firstGood(wish, (login) => ask(first, login)))
  if (listed.kind === 'no-user') {
    await mayMakeFirst({ host, api: first, signal })
    return { present: [], fitting: [] }
  }
  if (listed.kind === 'refused') throw noLogin(wish, first)
  for (const api of apis.slice(1)) {
    if ((await ask(api, listed.login)).kind !== 'users') throw othersRefuse(host, api, listed.login)
  }
  return { present: listed.names, fitting: fitting.map(({ login }) => login.user), login: listed.login }
}

async function firstGood(
  { logins }: HostWish,
  ask: (login: Credentials | undefined) => Promise<Listed>,
): Promise<Listed> {
  for (const login of logins) {
    const answer = await ask(login)
    if (answer.kind !== 'refused') return answer
  }
  // Without a login a host that has no user yet says so.
  return ask(undefined)
}

async function mustAnswer(host: string, api: HostApi, signal: AbortSignal): Promise<void> {
  const outcome = await onApi(host, () => ping({ endpoint: api.endpoint, timeout: patience, signal }))
  if ('problem' in outcome) throw refusal(host, api, outcome)
}

async function list(options: {
  readonly host: string
  readonly api: HostApi
  readonly login: Credentials | undefined
  readonly signal: AbortSignal
}): Promise<Listed> {
  const { host, api, login, signal } = options
  const caller = { endpoint: api.endpoint, timeout: patience, signal, ...(login && { credentials: login }) }
  const outcome = await onApi(host, () => get(caller, '/api/v2/users'))
  if ('problem' in outcome) {
    if (outcome.answer.status !== 401) throw refusal(host, api, outcome)
    return { kind: outcome.problem.code === 'no-user' ? 'no-user' : 'refused' }
  }
  const names = namesIn(outcome)
  if (names === undefined || login === undefined) {
    throw new StepError({
      host,
      code: 'bad-answer',
      message: `what ${placeOf(api)} answered is no list of users`,
      fix: 'Something else than this API listens there, or it is too old: install again.',
    })
  }
  return { kind: 'users', names, login }
}

function namesIn(outcome: Extract<Outcome<unknown>, { value: unknown }>): readonly string[] | undefined {
  const payload = readEnvelope(outcome.value)?.payload
  if (!Array.isArray(payload)) return undefined
  const names = payload.map((one: unknown) =>
    typeof one === 'object' && one !== null && 'user' in one && typeof one.user === 'string'
      ? one.user
      : undefined,
  )
  return names.flatMap((name) => name ?? []).length === names.length
    ? names.flatMap((name) => name ?? [])
    : undefined
}

function noLogin({ host, users, logins }: HostWish, api: HostApi): StepError {
  const known = users.filter(({ password }) => password !== undefined)
  const names = [...new Set([...known, ...logins].map(({ user }) => user))]
  const tried =
    names.length === 0
      ? 'no password of them is known here'
      : `it lets in none whose password is known here: ${listOf(names)}`
  return new StepError({
    host,
    code: 'no-login',
    message: `${placeOf(api)} has users, and ${tried}`,
    fix: 'Log in as a user that it has: --login USER with --login-password-file FILE or --login-password-stdin.',
  })
}

const othersRefuse = (host: string, api: HostApi, { user }: Credentials): StepError =>
  new StepError({
    host,
    code: 'other-users',
    message: `${placeOf(api)} does not let ${user} in, whom another API of the host does`,
    fix: `They should share one user file: see \`muster status\`, and install ${host} again.`,
  })
