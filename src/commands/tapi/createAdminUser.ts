import { createAdminUser } from '../../client/calls.ts'
import { passwordProblems } from '../../contracts/password.ts'
import type { Secret } from '../../secrets/secret.ts'
import { type ExitCode, exitCodes } from '../exitCodes.ts'
import { readPassword } from '../readPassword.ts'
import { UsageError } from '../usageError.ts'
import { login, loginUser, loginWays } from './login.ts'
import type { Call } from './prepareCall.ts'
import { showOutcome } from './showOutcome.ts'
import { confirmed } from './sure.ts'
import { checkUserName } from './user.ts'

/** What `tapi create-admin-user` is told. */
export type CreateOptions = {
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
export async function createAdminUserCommand(call: Call, created: CreateOptions): Promise<ExitCode> {
  const { context, options, place } = call
  const name = created.name ?? (await loginUser(call))
  checkUserName(name)
  if (created.newPasswordStdin && options.passwordStdin) {
    throw new UsageError(
      '--new-password-stdin and --password-stdin cannot both have standard input.',
      'Give one of the passwords with its file option.',
    )
  }
  const question = `Create the user ${name} on ${place}, or change its password?`
  const { iAmSure } = created
  if (!(await confirmed({ call, command: 'create-admin-user', iAmSure, question }))) return exitCodes.failed
  const isFirst = created.name === undefined && !givesNewPassword(call, created)
  const user = { user: name, password: await newPassword({ call, name, created, isFirst }) }
  const logsIn = !isFirst && options.user !== undefined
  const caller = logsIn ? await login(call) : call.caller
  const first = await createAdminUser(caller, user)
  const wantsLogin = 'problem' in first && first.answer.status === 401 && caller.credentials === undefined
  const outcome =
    wantsLogin && !isFirst && canLogIn(call) ? await createAdminUser(await login(call), user) : first
  const code = showOutcome({ call, outcome, render: (url) => `${url}\n${otherHosts(call)}` })
  if (outcome === first && wantsLogin && !options.json) {
    context.stderr.write(`  fix: ${place} has a user already: ${isFirst ? nameIt : logIn}\n`)
  }
  return code
}

const logIn = 'log in with --user and --password-file.'
const nameIt = 'log in with --user and --password-file, and name the user to create behind create-admin-user.'

const givesNewPassword = ({ context }: Call, created: CreateOptions): boolean =>
  created.newPasswordFile !== undefined || created.newPasswordStdin || Boolean(context.env[newWays.variable])

/** Names of what a new password may come from. */
const newWays = {
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
    ? { options: loginWays, file: call.options.passwordFile, stdin: call.options.passwordStdin }
    : { options: newWays, file: created.newPasswordFile, stdin: created.newPasswordStdin }
  const what = `the new password of ${name}`
  const password = await readPassword({ context: call.context, what, ...given, twice: true })
  const problems = passwordProblems(password.reveal())
  if (problems.length === 0) return password
  throw new UsageError(`The new password ${problems.join(', and ')}.`, 'Choose another one.')
}

const canLogIn = ({ context, options }: Call): boolean =>
  context.stdin.isTTY === true ||
  options.passwordFile !== undefined ||
  options.passwordStdin ||
  Boolean(context.env.TAPI_PASSWORD)

/** Users belong to one host (specification section 1.3): says where else the call is to be made. */
function otherHosts({ target }: Call): string {
  const { found } = target
  const others = found?.cluster.hosts.filter(({ name }) => name !== found.host.name) ?? []
  if (found === undefined || others.length === 0) return ''
  const names = others.map(({ name }) => name).join(', ')
  return `This holds on ${found.host.name} alone. The other hosts of ${found.cluster.cluster}: ${names}.\n`
}
