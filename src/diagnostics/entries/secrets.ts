import { listOf } from '../../base/words.ts'
import { error, note, warning } from '../entry.ts'

/** A secret that was not read; `store` is the one that it opens. */
type Unread = {
  readonly name: string
  readonly reason: string
  readonly store: 'keystore' | 'truststore' | undefined
  readonly fix: string
}

const reasonFor = ({ store }: Unread): string =>
  store === undefined
    ? 'A secret can be checked only after it is read.'
    : `Without it muster cannot open the ${store} and check its contents.`

const generateHint = (name: string): string => {
  if (name.startsWith('rest-api-users.')) return ', or leave it empty to have one generated'
  return name.startsWith('rest-api-admin') ? ', or remove the option to have one generated' : ''
}

/** Users of the APIs and passwords. */
export const secretEntries = {
  'password-without-user': error((facts: { name: string; user: string; example: string }) => ({
    message: `${facts.name} is set, but ${facts.user} is not.`,
    why: 'A password without a user name cannot be used.',
    fix: `Add: ${facts.user}: ${facts.example}`,
  })),
  'bad-user-name': error((facts: { name: string; problems: readonly string[] }) => ({
    message: `${facts.name} is not a valid user name: it ${listOf(facts.problems)}.`,
    why: 'The name is part of URLs (/user/NAME) and of HTTP Basic authentication, where some characters are reserved. With invisible characters two names can look alike.',
    fix: 'Use letters, digits, hyphens, dots and underscores, such as admin',
  })),
  'administrator-twice': error((facts: { readonly has: string }) => ({
    message: `This user is the administrator, who has ${facts.has}.`,
    why: 'A user has one password and one access level; one of the two would be ignored silently.',
    fix: 'Remove the user from rest-api-users, or give it neither a password nor an access level here.',
  })),
  'similar-user-names': warning((facts: { readonly name: string }) => ({
    message: `${facts.name} differs from another user by case or accents only.`,
    why: 'They are two users with two passwords, and a person takes one for the other.',
    fix: 'Use one of the names everywhere, or names that differ in a letter.',
  })),
  'bad-password': error((facts: { name: string; problems: readonly string[] }) => ({
    message: `${facts.name} is not a valid password: it ${listOf(facts.problems)}.`,
    why: 'Hosts reject it.',
    fix: `Use 1 to 1024 characters${generateHint(facts.name)}.`,
  })),
  'default-password': error(
    (facts: { name: string; reason: string; grantsAccessTo: string; fix: string }) => ({
      message: `${facts.name} is ${facts.reason}.`,
      why: `Attackers try it first, and it gives access to ${facts.grantsAccessTo}.`,
      fix: facts.fix,
    }),
  ),
  'weak-password': warning(
    (facts: { name: string; reason: string; grantsAccessTo: string; fix: string }) => ({
      message: `${facts.name} is easy to guess: it ${facts.reason}.`,
      why: `It gives access to ${facts.grantsAccessTo}.`,
      fix: facts.fix,
    }),
  ),
  'secret-not-resolved': note((facts: Unread) => ({
    message: `${facts.name} was not read: ${facts.reason}.`,
    why: reasonFor(facts),
    fix: facts.fix,
  })),
  'secret-unreadable': error((facts: Unread) => ({
    message: `${facts.name} cannot be read: ${facts.reason}.`,
    why: 'Commands that need it stop before they change anything.',
    fix: facts.fix,
  })),
  'plaintext-secret-tracked': warning((facts: { name: string; file: string }) => ({
    message: `${facts.name} is in plain text in ${facts.file}, which git tracks.`,
    why: 'Everyone who can read the repository, its history or a copy can read the secret.',
    fix: `Use a reference (${facts.name}: !env NAME, or !file PATH with a file that git ignores). Then change the secret: the old one stays in the history.`,
  })),
} as const
