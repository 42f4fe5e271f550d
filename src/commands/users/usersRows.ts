import type { CommandRow } from '../commandRow.ts'

/** Commands below `muster users`. */
export const usersRows: readonly CommandRow[] = [
  {
    name: 'list',
    description: 'list users by host and show where hosts differ',
    examples: [
      ['List the users of all hosts', 'muster users list'],
      ['Print them as JSON', 'muster users list --json'],
    ],
    load: async () => (await import('./list.ts')).usersListCommand,
  },
  {
    name: 'verify',
    description: 'verify the users of all hosts by logging in, for cron and CI',
    examples: [
      ['Log in on every host as every user', 'muster users verify'],
      ['Write a report for CI', 'muster users verify --format junit'],
    ],
    load: async () => (await import('./verify.ts')).usersVerifyCommand,
  },
  {
    name: 'apply',
    description: 'apply the users of the file to every host, without a restart',
    examples: [
      ['Add and change users as the file says', 'muster users apply'],
      ['Remove those that the file does not name, too', 'muster users apply --prune'],
    ],
    load: async () => (await import('./apply.ts')).usersApplyCommand,
  },
  {
    name: 'rotate',
    description: 'change the password of a user on every host',
    examples: [
      ['Generate a new password, and show it', 'muster users rotate admin'],
      ['Read the new password from a file', 'muster users rotate admin --new-password password'],
    ],
    load: async () => (await import('./rotate.ts')).usersRotateCommand,
  },
  {
    name: 'remove',
    description: 'remove a user that the file does not name from every host',
    examples: [
      ['Remove a user, after a question', 'muster users remove grafana'],
      ['Remove it without asking, on one host', 'muster users remove grafana --yes --host db1'],
    ],
    load: async () => (await import('./remove.ts')).usersRemoveCommand,
  },
  {
    name: 'unlock',
    description: 'unlock a user on every host after failed logins',
    examples: [
      ['Unlock a user everywhere', 'muster users unlock admin'],
      ['Unlock it on one host', 'muster users unlock admin --host db1'],
    ],
    load: async () => (await import('./unlock.ts')).usersUnlockCommand,
  },
]
