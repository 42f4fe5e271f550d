import type { Command } from 'commander'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { readPassword } from '../cli/readPassword.ts'
import { UsageError } from '../cli/usageError.ts'
import { createAdminUser, get, type Outcome } from '../client/calls.ts'
import { passwordProblems } from '../contracts/credentialRules.ts'
import type { Secret } from '../secrets/secret.ts'
import { type CallResult, callHosts, isSuccess } from './call/callHosts.ts'
import {
  changeUntilRefused,
  describeHosts,
  refuseWhereUnreachable,
  replaceResults,
} from './call/changeAll.ts'
import {
  addConfirmationOptions,
  type ConfirmationOptions,
  confirmChange,
  isConfirmed,
} from './call/confirmation.ts'
import { login, loginPasswordSources, loginUser } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import type { Runner } from './call/runner.ts'
import { showOutcome, showResults } from './call/showResults.ts'
import { checkNewName } from './userCommands.ts'

/** What `tapi create-admin-user` is told. */
type CreateOptions = {
  /** Absent: --user is who is created, with the password of a login. */
  readonly name?: string
  readonly newPasswordFile?: string
  readonly newPasswordStdin: boolean
  readonly iAmSure: boolean
}

/**
 * `tapi create-admin-user NAME`: creates a user on the host, or changes its password. It logs in where
 * --user is given, and where the host, asked without, wants a login because it already has a user.
 * Without NAME it creates --user itself as the host's first, without a login; where a new password is
 * given beside the login's, it changes --user's own.
 */
async function createOnHost(call: Call, created: CreateOptions): Promise<ExitCode> {
  const { context, options, place } = call
  const name = created.name ?? (await loginUser(call))
  checkNewUser(call, { name, created })
  if (!(await confirmUser({ context, place, name, created }))) return exitCodes.failed
  const { isFirst, user } = await readNewUser(call, { name, created })
  const logsIn = !isFirst && options.user !== undefined
  const caller = logsIn ? await login(call) : call.caller
  const first = await createAdminUser(caller, user)
  const wantsLogin = 'problem' in first && first.answer.status === 401 && caller.credentials === undefined
  const outcome =
    wantsLogin && !isFirst && canLogIn(call) ? await createAdminUser(await login(call), user) : first
  const code = showOutcome({ call, outcome, render: (url) => `${url}\n${noteOtherHosts(call)}` })
  if (outcome === first && wantsLogin && !options.json) {
    context.stderr.write(`  fix: ${place} already has a user: ${isFirst ? nameIt : logIn}\n`)
  }
  return code
}

/** A user as the command line names it, and what else it says of it. */
type Named = { readonly name: string; readonly created: CreateOptions }

/** Throws a `UsageError` for a name that no user can have, and for two passwords from one input. */
function checkNewUser({ options }: Call, { name, created }: Named): void {
  checkNewName(name)
  if (!created.newPasswordStdin || !options.passwordStdin) return
  throw new UsageError(
    '--new-password-stdin and --password-stdin cannot both read standard input.',
    'Use the file option for one of the passwords.',
  )
}

/** Whether the user is meant to be made at `place`. */
const confirmUser = (
  asked: Named & { readonly context: CommandContext; readonly place: string },
): Promise<boolean> =>
  confirmChange({
    context: asked.context,
    place: asked.place,
    command: 'create-admin-user',
    iAmSure: asked.created.iAmSure,
    question: `Create the user ${asked.name} on ${asked.place}, or change its password?`,
  })

/** The user with its new password, and whether it is to be the first, made without a login. */
async function readNewUser(
  call: Call,
  { name, created }: Named,
): Promise<{
  readonly isFirst: boolean
  readonly user: { readonly user: string; readonly password: Secret }
}> {
  const isFirst = created.name === undefined && !givesNewPassword(call, created)
  return { isFirst, user: { user: name, password: await newPassword({ call, name, created, isFirst }) } }
}

const logIn = 'log in with --user and --password-file.'
const nameIt = 'log in with --user and --password-file, and put the user to create after create-admin-user.'

const givesNewPassword = ({ context }: Call, created: CreateOptions): boolean =>
  created.newPasswordFile !== undefined ||
  created.newPasswordStdin ||
  Boolean(context.env[newPasswordSources.variable])

/** Names of what a new password may come from. */
const newPasswordSources = {
  file: '--new-password-file',
  stdin: '--new-password-stdin',
  variable: 'TAPI_NEW_PASSWORD',
}

async function newPassword(options: {
  readonly call: Call
  readonly name: string
  readonly created: CreateOptions
  readonly isFirst: boolean
}): Promise<Secret> {
  const { call, name, created, isFirst } = options
  const given = isFirst
    ? { options: loginPasswordSources, file: call.options.passwordFile, stdin: call.options.passwordStdin }
    : { options: newPasswordSources, file: created.newPasswordFile, stdin: created.newPasswordStdin }
  const what = `the new password of ${name}`
  const password = await readPassword({ context: call.context, what, ...given, twice: true })
  const problems = passwordProblems(password.reveal())
  if (problems.length === 0) return password
  throw new UsageError(`The new password ${problems.join(', and ')}.`, 'Choose another one.')
}

/** Whether there is a way to ask for a login. */
const canLogIn = ({ context, options }: Call): boolean =>
  context.stdin.isTTY === true ||
  options.passwordFile !== undefined ||
  options.passwordStdin ||
  Boolean(context.env.TAPI_PASSWORD)

/** Users belong to one host (specification section 1.3): says where else the call is to be made. */
function noteOtherHosts({ target }: Call): string {
  const { found } = target
  const others = found?.cluster.hosts.filter(({ name }) => name !== found.host.name) ?? []
  if (found === undefined || others.length === 0) return ''
  const names = others.map(({ name }) => name).join(', ')
  return `This changed only ${found.host.name}. Other hosts of ${found.cluster.cluster}: ${names}; --all creates the user on all of them.\n`
}

const withLogin = (call: Call, known: Call['caller']): Call => ({
  ...call,
  caller: { ...call.caller, ...(known.credentials && { credentials: known.credentials }) },
})

/** Asks a host for something that needs a login; one without any user takes its first without. */
async function checkLogin({ caller }: Call): Promise<Outcome<unknown>> {
  const outcome = await get(caller, '/api/v2/version')
  return 'problem' in outcome && outcome.problem.code === 'no-user'
    ? { answer: outcome.answer, value: undefined }
    : outcome
}

const needsLogin = (result: CallResult): boolean =>
  'outcome' in result &&
  'problem' in result.outcome &&
  result.outcome.answer.status === 401 &&
  result.call.caller.credentials === undefined

/**
 * `tapi --all create-admin-user`: the same user on every host, with one question for each password. Every host is
 * asked before the first is changed; a login is made where a host wants one, as for a single host.
 */
async function createOnEveryHost(
  calls: readonly Call[],
  created: CreateOptions,
  skipUnreachable: boolean,
): Promise<ExitCode> {
  const [first] = calls
  if (first === undefined) return exitCodes.ok
  const { context, options } = first
  const name = created.name ?? (await loginUser(first))
  checkNewUser(first, { name, created })
  if (!(await confirmUser({ context, place: describeHosts(calls), name, created }))) return exitCodes.failed
  const { isFirst, user } = await readNewUser(first, { name, created })
  const caller = !isFirst && options.user !== undefined ? await login(first) : first.caller

  const before = await callHosts(
    calls.map((call) => withLogin(call, caller)),
    checkLogin,
  )
  const again = before.filter(needsLogin).map(({ call }) => call)
  const known = again.length > 0 && !isFirst && canLogIn(first) ? await login(first) : undefined
  const repeated =
    known &&
    (await callHosts(
      again.map((call) => withLogin(call, known)),
      checkLogin,
    ))
  const asked = replaceResults(before, repeated)
  const refusal = refuseWhereUnreachable({ context, json: options.json, results: asked, skipUnreachable })
  if (refusal !== undefined) return refusal
  const made = await changeUntilRefused(
    asked.filter(isSuccess).map(({ call }) => call),
    (call) => createAdminUser(call.caller, user),
  )
  const good = { result: 'done', summarize: String }
  return showResults({ context, json: options.json, results: replaceResults(asked, made), good })
}

type WrittenCreateOptions = ConfirmationOptions & {
  readonly newPasswordFile?: string
  readonly newPasswordStdin?: boolean
}

const readCreateOptions = (name: string | undefined, written: WrittenCreateOptions): CreateOptions => ({
  ...(name !== undefined && { name }),
  iAmSure: isConfirmed(written),
  newPasswordStdin: written.newPasswordStdin === true,
  ...(written.newPasswordFile !== undefined && { newPasswordFile: written.newPasswordFile }),
})

export function defineCreateAdminUser(command: Command, { changeEach }: Runner): void {
  addConfirmationOptions(command)
    .argument('[name]', "name of the user (default: --user, as the host's first user)")
    .option('--new-password-file <file>', "file with the user's new password")
    .option('--new-password-stdin', 'read the new password from standard input')
    .action((name: string | undefined, written: WrittenCreateOptions) => {
      const created = readCreateOptions(name, written)
      return changeEach(command, {
        one: (call) => createOnHost(call, created),
        all: (calls, { skipUnreachable }) => createOnEveryHost(calls, created, skipUnreachable),
      })
    })
}
