import type { Command } from 'commander'
import { userNameProblems } from '../../contracts/userName.ts'
import { printable } from '../../untrusted/printable.ts'
import type { ClusterOptions } from '../openCluster.ts'
import { UsageError } from '../usageError.ts'
import { command, reaching, runsOnFiles, type World } from './definition.ts'
import { changeFlags, changing } from './deployment.ts'

/** What stands before the files: the name of a user. Throws a `UsageError` for one that nobody can have. */
const named = (options: ClusterOptions): ClusterOptions & { readonly user: string } => {
  const [given = '', ...files] = options.files
  const user = given.normalize('NFC')
  const problems = userNameProblems(user)
  if (problems.length === 0) return { ...options, files, user }
  throw new UsageError(
    `“${printable(user)}” is no user name: it ${problems.join(', and ')}.`,
    'Give the name of the user alone, before the files.',
  )
}

/** `muster users rotate`. */
export const rotation = (world: World): Command =>
  runsOnFiles(
    changing(
      command('rotate', 'give a user a new password on every host, and refuse the old one', world).argument(
        '<name>',
        'the user',
      ),
    )
      .option(
        '--new-password <file>',
        'the new password, - for standard input; else one is made, kept, and shown once',
      )
      .option('--no-show', 'keep a made password only, and do not show it'),
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
      command('remove', 'take a user that the file does not name off every host', world).argument(
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
      command('unlock', 'end the lock-outs of a user after failed logins, on every host', world).argument(
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
