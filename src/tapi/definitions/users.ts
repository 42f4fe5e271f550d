import type { Command } from 'commander'
import { type ConfirmationOptions, isConfirmed, requireConfirmation } from '../confirmation.ts'
import type { CreateOptions } from '../createAdminUser.ts'
import type { Runner } from '../runner.ts'
import { groups } from './groups.ts'

type CreateWritten = ConfirmationOptions & {
  readonly newPasswordFile?: string
  readonly newPasswordStdin?: boolean
}

const readCreate = (name: string | undefined, written: CreateWritten): CreateOptions => ({
  ...(name !== undefined && { name }),
  iAmSure: isConfirmed(written),
  newPasswordStdin: written.newPasswordStdin === true,
  ...(written.newPasswordFile !== undefined && { newPasswordFile: written.newPasswordFile }),
})

/** What reads and changes the users of the host. */
export function userCommands(program: Command, { read, change, changeEach }: Runner): void {
  program
    .command('users')
    .helpGroup(groups.users)
    .description('list the users of the host')
    .action((_options, command: Command) =>
      read(command, async (call) => (await import('../users.ts')).listUsers(call)),
    )
  program
    .command('user')
    .helpGroup(groups.users)
    .description('show a user of the host')
    .argument('<name>', 'name of the user')
    .action((name: string, _options, command: Command) =>
      read(command, async (call) => (await import('../users.ts')).userCommand(call, name)),
    )
  requireConfirmation(program.command('create-admin-user'))
    .helpGroup(groups.users)
    .description('create a user on the host, or change the password of one')
    .argument('[name]', "name of the user (default: --user, as the host's first user)")
    .option('--new-password-file <file>', "file with the user's new password")
    .option('--new-password-stdin', 'read the new password from standard input')
    .action((name: string | undefined, written: CreateWritten, command: Command) => {
      const created = readCreate(name, written)
      return changeEach(command, {
        one: async (call) => (await import('../createAdminUser.ts')).createAdminUserCommand(call, created),
        all: async (calls, { skipUnreachable }) =>
          (await import('../createAdminUser.ts')).createAdminUserAll(calls, created, skipUnreachable),
      })
    })
  requireConfirmation(program.command('unlock'))
    .helpGroup(groups.users)
    .description('unlock a user after failed logins')
    .argument('<name>', 'name of the user')
    .action((name: string, _options, command: Command) =>
      change(command, async () => (await import('../users.ts')).unlockUser(name)),
    )
  requireConfirmation(program.command('delete-user'))
    .helpGroup(groups.users)
    .description('delete a user of the host')
    .argument('<name>', 'name of the user')
    .action((name: string, _options, command: Command) =>
      change(command, async () => (await import('../users.ts')).deleteUser(name)),
    )
}
