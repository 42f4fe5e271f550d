import { createAdminUser, get, type Outcome, ping } from '../../client/calls.ts'
import { type ExitCode, exitCodes } from '../exitCodes.ts'
import { hostNames, refuseWhereLost } from './changeAll.ts'
import { type CreateOptions, canLogIn, checkNewUser, confirmedUser, readNewUser } from './createAdminUser.ts'
import { everyHost, isGood, type Result } from './everyHost.ts'
import { login, loginUser } from './login.ts'
import type { Call } from './prepareCall.ts'
import { showResults } from './showResults.ts'

const withLogin = (call: Call, known: Call['caller']): Call => ({
  ...call,
  caller: { ...call.caller, ...(known.credentials && { credentials: known.credentials }) },
})

const wantsLogin = (result: Result): boolean =>
  'outcome' in result &&
  'problem' in result.outcome &&
  result.outcome.answer.status === 401 &&
  result.call.caller.credentials === undefined

/**
 * `tapi --all create-admin-user`: the same user on every host, with one question for each password. Every host is
 * asked before the first is changed; a login is made where a host wants one, as for a single host.
 */
export async function createAdminUserAll(
  calls: readonly Call[],
  created: CreateOptions,
  skipUnreachable: boolean,
): Promise<ExitCode> {
  const [first] = calls
  if (first === undefined) return exitCodes.ok
  const { context, options } = first
  const name = created.name ?? (await loginUser(first))
  checkNewUser(first, { name, created })
  if (!(await confirmedUser({ context, place: hostNames(calls), name, created }))) return exitCodes.failed
  const { isFirst, user } = await readNewUser(first, { name, created })
  const caller = !isFirst && options.user !== undefined ? await login(first) : first.caller

  const asked = await everyHost(
    calls.map((call) => withLogin(call, caller)),
    ({ caller: one }): Promise<Outcome<unknown>> =>
      one.credentials === undefined ? ping(one) : get(one, '/api/v2/version'),
  )
  const refusal = refuseWhereLost({ context, json: options.json, results: asked, skipUnreachable })
  if (refusal !== undefined) return refusal
  const create = (made: readonly Call[]): Promise<Result[]> =>
    everyHost(made, (call) => createAdminUser(call.caller, user))
  const tried = await create(asked.filter(isGood).map(({ call }) => call))
  const again = tried.filter(wantsLogin).map(({ call }) => call)
  const known = again.length > 0 && !isFirst && canLogIn(first) ? await login(first) : undefined
  const repeated = known === undefined ? [] : await create(again.map((call) => withLogin(call, known)))
  const results = asked.map((before) => {
    const same = ({ call }: Result): boolean => call.place === before.call.place
    return repeated.find(same) ?? tried.find(same) ?? before
  })
  const good = { result: 'done', brief: String }
  return showResults({ context, json: options.json, results, good })
}
