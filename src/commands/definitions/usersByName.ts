import type { Command } from 'commander'
import { printable } from '../../base/printable.ts'
import { UsageError } from '../../cli/usageError.ts'
import { existingNameProblems } from '../../contracts/credentialRules.ts'
import type { ClusterOptions } from '../../session/openCluster.ts'
import { command, reaching, runsOnFiles, type World } from './definition.ts'
import { changeFlags, changing } from './deployment.ts'

/** What stands before the files: the name of a user. Throws a `UsageError` for one that nobody can have. */
const named = (options: ClusterOptions): ClusterOptions & { readonly user: string } => {
  const [given = '', ...files] = options.files
  const user = given.normalize('NFC')
  const problems = existingNameProblems(user)
  if (problems.length === 0) return { ...options, files, user }
  throw new UsageError(
    `“${printable(user)}” is not a valid user name: it ${problems.join(', and ')}.`,
    'Put the user name before the files.',
  )
}

/** `muster users rotate`. */
export const rotation = (world: World): Command =>
  runsOnFiles(
    changing(
      command('rotate', 'change the password of a user on every host', world).argument('<name>', 'the user'),
    )
      .option('--new-password <file>', 'file with the new password, - for standard input (default: generate)')
      .option('--no-show', 'do not show a generated password'),
    world,
    async (options, made) => {
      const { rotate } = await import('../users/rotate.ts')
      const { newPassword, show } = made.opts<{ newPassword?: string; show: boolean }>()
      return rotate({ ...named(options), ...changeFlags(made), newPassword, show })
    },
  )

/** `muster users remove`. */
export const removal = (world: World): Command =>
  runsOnFiles(
    changing(
      command('remove', 'remove a user that the file does not name from every host', world).argument(
        '<name>',
        'the user',
      ),
    ),
    world,
    async (options, made) => {
      const { remove } = await import('../users/remove.ts')
      return remove({ ...named(options), ...changeFlags(made) })
    },
  )

/** `muster users unlock`. */
export const unlocking = (world: World): Command =>
  runsOnFiles(
    reaching(
      command('unlock', 'unlock a user on every host after failed logins', world).argument(
        '<name>',
        'the user',
      ),
    ),
    world,
    async (options) => {
      const { unlock } = await import('../users/unlock.ts')
      return unlock(named(options))
    },
  )
