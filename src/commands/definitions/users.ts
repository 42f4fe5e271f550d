import { type Command, Option } from 'commander'
import { UsageError } from '../../cli/usageError.ts'
import { command, type Definition, flag, reaching, runsOnFiles, type World } from './definition.ts'
import { changeFlags, changing } from './deployment.ts'
import { formatGiven, formatOption } from './formatOption.ts'
import { removal, rotation, unlocking } from './usersByName.ts'

/** What is for --via api alone. */
const accessFlags = ['cacert', 'login', 'loginPasswordFile', 'loginPasswordStdin'] as const

/** The administrators of the hosts over their whole life. */
export const users: Definition = (world) => [
  command('users', 'manage the administrators of all hosts', world)
    .addCommand(list(world))
    .addCommand(verify(world))
    .addCommand(apply(world))
    .addCommand(rotation(world))
    .addCommand(removal(world))
    .addCommand(unlocking(world)),
]

const list = (world: World): Command =>
  runsOnFiles(
    reaching(command('list', 'list users by host and show where hosts differ', world)).option(
      '--json',
      'print everything as JSON',
    ),
    world,
    async (options, made) => {
      const { listUsers } = await import('../users/list.ts')
      return listUsers({ ...options, json: flag(made, 'json') })
    },
  )

const verify = (world: World): Command =>
  runsOnFiles(
    formatOption(
      reaching(command('verify', 'verify the users of all hosts by logging in, for cron and CI', world)),
    ).addHelpText('after', '\nAn unreachable host is reported; the others are verified all the same.'),
    world,
    async (options, made) => {
      const { verifyUsers } = await import('../users/verify.ts')
      return verifyUsers({ ...options, format: formatGiven(made) })
    },
  )

const apply = (world: World): Command =>
  runsOnFiles(
    changing(command('apply', 'apply the users of the file to every host, without a restart', world))
      .addOption(
        new Option('--via <way>', 'ssh, or api where SSH is not available')
          .choices(['ssh', 'api'])
          .default('ssh'),
      )
      .option('--prune', 'remove users that the file does not name, after showing them')
      .option('--generate', 'generate a password for every user without one, even existing users')
      .option('--cacert <file>', 'with --via api: authority to trust instead of the one in the state')
      .option('--login <user>', 'with --via api: user to log in as where no known password works')
      .option('--login-password-file <file>', 'file with the password of --login')
      .option('--login-password-stdin', 'read the password of --login from standard input'),
    world,
    async (options, made) => {
      const common = { ...options, ...changeFlags(made), prune: flag(made, 'prune') }
      const { via } = made.opts<{ via: 'ssh' | 'api' }>()
      if (via === 'ssh') {
        mustBeWithApi(made)
        const { applyUsers } = await import('../users/apply.ts')
        return applyUsers({ ...common, generate: flag(made, 'generate') })
      }
      if (flag(made, 'generate')) {
        throw new UsageError(
          '--generate cannot be used with --via api.',
          'Remove it: a user that no host has gets a password anyway.',
        )
      }
      const { applyViaApi } = await import('../users/viaApi.ts')
      const { cacert, login, loginPasswordFile } = made.opts<Record<string, string | undefined>>()
      const loginPasswordStdin = flag(made, 'loginPasswordStdin')
      return applyViaApi({ ...common, cacert, login, loginPasswordFile, loginPasswordStdin })
    },
  )

function mustBeWithApi(made: Command): void {
  const given = made.options.find(({ long }) => {
    const name = accessFlags.find(
      (one) => `--${one.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}` === long,
    )
    return name !== undefined && made.opts<Record<string, unknown>>()[name] !== undefined
  })
  if (given === undefined) return
  throw new UsageError(`${given.long} requires --via api.`, 'Add --via api, or remove the option.')
}
