import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { createAdminUser, get, type Outcome } from '../../client/calls.ts'
import { hostNames, inPlace, refuseWhereLost, untilRefused } from './changeAll.ts'
import { type CreateOptions, canLogIn, checkNewUser, confirmedUser, readNewUser } from './createAdminUser.ts'
import { everyHost, isGood, type Sent } from './everyHost.ts'
import { login, loginUser } from './login.ts'
import type { Call } from './prepareCall.ts'
import { showResults } from './showResults.ts'

const withLogin = (call: Call, known: Call['caller']): Call => ({
  ...call,
  caller: { ...call.caller, ...(known.credentials && { credentials: known.credentials }) },
})

/** Asks a host for something that needs a login; one without any user takes its first without. */
async function askUser({ caller }: Call): Promise<Outcome<unknown>> {
  const outcome = await get(caller, '/api/v2/version')
  return 'problem' in outcome && outcome.problem.code === 'no-user'
    ? { answer: outcome.answer, value: undefined }
    : outcome
}

const wantsLogin = (result: Sent): boolean =>
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

  const before = await everyHost(
    calls.map((call) => withLogin(call, caller)),
    askUser,
  )
  const again = before.filter(wantsLogin).map(({ call }) => call)
  const known = again.length > 0 && !isFirst && canLogIn(first) ? await login(first) : undefined
  const repeated =
    known &&
    (await everyHost(
      again.map((call) => withLogin(call, known)),
      askUser,
    ))
  const asked = inPlace(before, repeated)
  const refusal = refuseWhereLost({ context, json: options.json, results: asked, skipUnreachable })
  if (refusal !== undefined) return refusal
  const made = await untilRefused(
    asked.filter(isGood).map(({ call }) => call),
    (call) => createAdminUser(call.caller, user),
  )
  const good = { result: 'done', brief: String }
  return showResults({ context, json: options.json, results: inPlace(asked, made), good })
}
