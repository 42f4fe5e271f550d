import { createAdminUser } from '../../client/calls.ts'
import { passwordProblems } from '../../contracts/password.ts'
import type { Secret } from '../../secrets/secret.ts'
import { confirm } from '../ask.ts'
import { type ExitCode, exitCodes } from '../exitCodes.ts'
import { readPassword } from '../readPassword.ts'
import { UsageError } from '../usageError.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { showOutcome } from './showOutcome.ts'
import { checkUserName } from './user.ts'

/** What `tapi create-admin-user` is told. */
export type CreateOptions = {
  readonly name: string
  readonly newPasswordFile?: string
  readonly newPasswordStdin: boolean
  readonly iAmSure: boolean
}

/**
 * `tapi create-admin-user NAME`: creates a user on the host, or changes its password. It logs in where
 * --user is given, and where the host, asked without, wants a login because it already has a user.
 */
export async function createAdminUserCommand(call: Call, created: CreateOptions): Promise<ExitCode> {
  const { context, options, place } = call
  checkUserName(created.name)
  if (created.newPasswordStdin && options.passwordStdin) {
    throw new UsageError(
      '--new-password-stdin and --password-stdin cannot both have standard input.',
      'Give one of the passwords with its file option.',
    )
  }
  if (!(await isSure(call, created))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const user = { user: created.name, password: await newPassword(call, created) }
  const caller = options.user === undefined ? call.caller : await login(call)
  const first = await createAdminUser(caller, user)
  const wantsLogin = 'problem' in first && first.answer.status === 401 && caller.credentials === undefined
  const outcome = wantsLogin && canLogIn(call) ? await createAdminUser(await login(call), user) : first
  const code = showOutcome({ call, outcome, render: (url) => `${url}\n${otherHosts(call)}` })
  if (outcome === first && wantsLogin && !options.json) {
    context.stderr.write(`  fix: ${place} has a user already: log in with --user and --password-file.\n`)
  }
  return code
}

async function isSure({ context, place }: Call, { name, iAmSure }: CreateOptions): Promise<boolean> {
  if (iAmSure) return true
  if (context.stdin.isTTY === true) {
    return confirm(context, `Create the user ${name} on ${place}, or change its password?`)
  }
  throw new UsageError(
    `create-admin-user changes ${place}, and there is no terminal to ask.`,
    'Confirm it with --i-am-sure.',
  )
}

async function newPassword({ context }: Call, created: CreateOptions): Promise<Secret> {
  const password = await readPassword({
    context,
    what: `the new password of ${created.name}`,
    options: { file: '--new-password-file', stdin: '--new-password-stdin', variable: 'TAPI_NEW_PASSWORD' },
    file: created.newPasswordFile,
    stdin: created.newPasswordStdin,
    twice: true,
  })
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
