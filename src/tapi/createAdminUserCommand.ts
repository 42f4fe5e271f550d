import { Option } from 'commander'
import type { CliCommand } from '../cli/cliCommand.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { readPassword } from '../cli/readPassword.ts'
import { UsageError } from '../cli/usageError.ts'
import { createAdminUser, type Outcome, send } from '../client/calls.ts'
import { type AccessLevel, accessLevels } from '../contracts/accessLevels.ts'
import { commonRoutes } from '../contracts/commonRoutes.ts'
import { passwordProblems } from '../contracts/credentialRules.ts'
import { callOf } from '../contracts/routeCall.ts'
import type { Secret } from '../secrets/secret.ts'
import { type CallResult, callHosts, isSuccess } from './call/callHosts.ts'
import { changeUntilFailure, describeHosts, replaceResults, reportFailedChecks } from './call/changeAll.ts'
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

/** Options of `tapi create-admin-user`. */
type CreateOptions = {
  /** Absent: creates the user of --user with the login's password. */
  readonly name?: string
  /** Absent: an existing user keeps its level, and a new one gets `full`. */
  readonly access?: AccessLevel
  readonly newPasswordFile?: string
  readonly newPasswordStdin: boolean
  readonly iAmSure: boolean
}

/**
 * Creates a user on one host, or changes its password and level. Logs in if --user is given, or if the host already has
 * a user and requires a login. Without a name it creates the user of --user as the host's first, without a
 * login; with a separate new password it changes the password of that user.
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
  const wantsLogin = 'problem' in first && first.response.status === 401 && caller.credentials === undefined
  const outcome =
    wantsLogin && !isFirst && canLogIn(call) ? await createAdminUser(await login(call), user) : first
  const code = showOutcome({ call, outcome, render: (url) => `${url}\n${noteOtherHosts(call)}` })
  if (outcome === first && wantsLogin && !options.json) {
    context.stderr.write(`  fix: ${place} already has a user: ${isFirst ? nameIt : logIn}\n`)
  }
  return code
}

type Named = { readonly name: string; readonly created: CreateOptions }

/** Throws a `UsageError` for an invalid name, or if both passwords are to come from standard input. */
function checkNewUser({ options }: Call, { name, created }: Named): void {
  checkNewName(name)
  if (!created.newPasswordStdin || !options.passwordStdin) return
  throw new UsageError(
    '--new-password-stdin and --password-stdin cannot both read standard input.',
    'Use the file option for one of the passwords.',
  )
}

const confirmUser = (
  asked: Named & { readonly context: CommandContext; readonly place: string },
): Promise<boolean> =>
  confirmChange({
    context: asked.context,
    place: asked.place,
    command: 'create-admin-user',
    iAmSure: asked.created.iAmSure,
    question: `Create the user ${asked.name} on ${asked.place}, or change its password${asked.created.access === undefined ? '' : ` and set its access level to ${asked.created.access}`}?`,
  })

/** Reads the new password; `isFirst` means that the user is created without a login. */
async function readNewUser(
  call: Call,
  { name, created }: Named,
): Promise<{
  readonly isFirst: boolean
  readonly user: { readonly user: string; readonly password: Secret; readonly access?: AccessLevel }
}> {
  const { access } = created
  const isFirst = created.name === undefined && !givesNewPassword(call, created)
  const password = await newPassword({ call, name, created, isFirst })
  return { isFirst, user: { user: name, password, ...(access && { access }) } }
}

const logIn = 'log in with --user and --password-file.'
const nameIt = 'log in with --user and --password-file, and name the user to create after create-admin-user.'

const givesNewPassword = ({ context }: Call, created: CreateOptions): boolean =>
  created.newPasswordFile !== undefined ||
  created.newPasswordStdin ||
  Boolean(context.env[newPasswordSources.variable])

/** Names of the sources of the new password. */
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

/** Returns true if a password for a login is given or can be asked for. */
const canLogIn = ({ context, options }: Call): boolean =>
  context.stdin.isTTY === true ||
  options.passwordFile !== undefined ||
  options.passwordStdin ||
  Boolean(context.env.TAPI_PASSWORD)

/**
 * Renders a note with the other hosts of the cluster: users belong to one host (specification section 1.3).
 */
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

/** Checks that the host accepts the login; a host without any user accepts its first without one. */
async function checkLogin({ caller }: Call): Promise<Outcome<unknown>> {
  const outcome = await send(caller, callOf(commonRoutes.version))
  return 'problem' in outcome && outcome.problem.code === 'no-user'
    ? { response: outcome.response, value: undefined }
    : outcome
}

const needsLogin = (result: CallResult): boolean =>
  'outcome' in result &&
  'problem' in result.outcome &&
  result.outcome.response.status === 401 &&
  result.call.caller.credentials === undefined

/**
 * Creates the same user on every host with one prompt per password. Checks all hosts before the first change;
 * logs in if a host requires it.
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
  const refusal = reportFailedChecks({ context, json: options.json, results: asked, skipUnreachable })
  if (refusal !== undefined) return refusal
  const made = await changeUntilFailure(
    asked.filter(isSuccess).map(({ call }) => call),
    (call) => createAdminUser(call.caller, user),
  )
  const success = { result: 'done', summarize: String }
  return showResults({ context, json: options.json, results: replaceResults(asked, made), success })
}

type WrittenCreateOptions = ConfirmationOptions & {
  readonly access?: AccessLevel
  readonly newPasswordFile?: string
  readonly newPasswordStdin?: boolean
}

const readCreateOptions = (name: string | undefined, written: WrittenCreateOptions): CreateOptions => ({
  ...(name !== undefined && { name }),
  ...(written.access && { access: written.access }),
  iAmSure: isConfirmed(written),
  newPasswordStdin: written.newPasswordStdin === true,
  ...(written.newPasswordFile !== undefined && { newPasswordFile: written.newPasswordFile }),
})

export function defineCreateAdminUser(command: CliCommand, { changeEach }: Runner): void {
  addConfirmationOptions(command)
    .argument('[name]', "name of the user (default: --user, as the host's first user)")
    .addOption(
      new Option(
        '--access <level>',
        'access level (default: full; an existing user keeps its level)',
      ).choices(accessLevels),
    )
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
