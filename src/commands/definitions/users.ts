import { type Command, Option } from 'commander'
import { UsageError } from '../usageError.ts'
import { command, type Definition, flag, reaching, runsOnFiles, type World } from './definition.ts'
import { changeFlags, changing } from './deployment.ts'
import { formatGiven, formatOption } from './formatOption.ts'
import { removal, rotation, unlocking } from './usersByName.ts'

/** What is for --via api alone. */
const accessFlags = ['cacert', 'login', 'loginPasswordFile', 'loginPasswordStdin'] as const

/** The administrators of the hosts over their whole life. */
export const users: Definition = (world) => [
  command('users', 'look after the administrators of all hosts', world)
    .addCommand(list(world))
    .addCommand(verify(world))
    .addCommand(apply(world))
    .addCommand(rotation(world))
    .addCommand(removal(world))
    .addCommand(unlocking(world)),
]

const list = (world: World): Command =>
  runsOnFiles(
    reaching(command('list', 'show who can log in to which host, and where hosts differ', world)).option(
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
      reaching(
        command('verify', 'log in everywhere and judge the users of all hosts, for cron and CI', world),
      ),
    ).addHelpText(
      'after',
      '\nA host that cannot be reached is named, and the others are judged all the same.',
    ),
    world,
    async (options, made) => {
      const { verifyUsers } = await import('../users/verify.ts')
      return verifyUsers({ ...options, format: formatGiven(made) })
    },
  )

const apply = (world: World): Command =>
  runsOnFiles(
    changing(command('apply', 'give every host the users that the file names; restart nothing', world))
      .addOption(
        new Option('--via <way>', 'by the APIs alone, where there is no SSH')
          .choices(['ssh', 'api'])
          .default('ssh'),
      )
      .option('--prune', 'remove the users that the file does not name, after showing them')
      .option('--generate', 'make a password for each user without one, also where hosts have the user')
      .option(
        '--cacert <file>',
        'with --via api: the authority to trust, instead of the one in the state directory',
      )
      .option('--login <user>', 'with --via api: log in as this user where no known password is taken')
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
          '--generate does not go with --via api: who has no SSH cannot take a password away.',
          'Leave it out: a user that no host has gets a password anyway.',
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
  throw new UsageError(
    `${given.long} is for --via api: over SSH nobody logs in to an API.`,
    'Leave it out, or add --via api.',
  )
}
