import { Option } from 'commander'
import { command, type Definition, flag, runsOnFiles } from './definition.ts'
import { changeFlags, changing } from './deployment.ts'

/** The administrators of the hosts over their whole life. */
export const users: Definition = (world) => [
  command('users', 'look after the administrators of all hosts', world).addCommand(
    runsOnFiles(
      changing(command('apply', 'give every host the administrators that the file names', world))
        .addOption(
          new Option('--via <way>', 'by the APIs alone, where there is no SSH')
            .choices(['api'])
            .makeOptionMandatory(),
        )
        .option('--prune', 'remove the users that the file does not name')
        .option('--cacert <file>', 'the authority to trust, instead of the one in the state directory')
        .option('--login <user>', 'log in as this user where no known password is taken')
        .option('--login-password-file <file>', 'file with the password of --login')
        .option('--login-password-stdin', 'read the password of --login from standard input'),
      world,
      async (options, made) => {
        const { applyViaApi } = await import('../users/viaApi.ts')
        const { cacert, login, loginPasswordFile } = made.opts<Record<string, string | undefined>>()
        return applyViaApi({
          ...options,
          ...changeFlags(made),
          prune: flag(made, 'prune'),
          cacert,
          login,
          loginPasswordFile,
          loginPasswordStdin: flag(made, 'loginPasswordStdin'),
        })
      },
    ),
  ),
]
