import { error, note, warning } from '../entry.ts'
import { listOf } from '../words.ts'

/** A secret that was not read; `opens` is the store that stays closed without it. */
type Unread = {
  readonly name: string
  readonly reason: string
  readonly opens: 'keystore' | 'truststore' | undefined
  readonly fix: string
}

const unknown = ({ opens }: Unread): string =>
  opens === undefined
    ? 'Whether it is good can only be told once it is read.'
    : `Without it the ${opens} is not opened, and what is in it is not checked.`

const wayOut = (name: string): string => {
  if (name.startsWith('rest-api-users.')) return ', or leave it empty and one is made'
  return name.startsWith('rest-api-admin') ? ', or leave the option out and one is made' : ''
}

/** The users of the APIs and the passwords. */
export const secretEntries = {
  'password-without-user': error((facts: { name: string; user: string; example: string }) => ({
    message: `${facts.name} is given, but no ${facts.user}.`,
    why: 'A password alone is of no use: nothing says whose it is.',
    fix: `Add: ${facts.user}: ${facts.example}`,
  })),
  'bad-user-name': error((facts: { name: string; problems: readonly string[] }) => ({
    message: `${facts.name} is not a possible user name: it ${listOf(facts.problems)}.`,
    why: 'The name becomes part of addresses (/user/NAME) and of HTTP Basic authentication, which reserved characters break; one that cannot be seen makes a name that looks like another.',
    fix: 'Use letters, digits, hyphens, dots and underscores, such as admin',
  })),
  'administrator-twice': error(() => ({
    message: 'This user is the administrator, whose password is given differently.',
    why: 'A user has one password: of the two, one would silently win.',
    fix: 'Leave the user out of rest-api-users, or leave its password empty here.',
  })),
  'bad-password': error((facts: { name: string; problems: readonly string[] }) => ({
    message: `${facts.name} is not a possible password: it ${listOf(facts.problems)}.`,
    why: 'Every host would refuse it.',
    fix: `Use 1 to 1024 characters${wayOut(facts.name)}.`,
  })),
  'default-password': error((facts: { name: string; reason: string; opens: string; fix: string }) => ({
    message: `${facts.name} is ${facts.reason}.`,
    why: `It is among the first that anybody tries, and it opens ${facts.opens}.`,
    fix: facts.fix,
  })),
  'weak-password': warning((facts: { name: string; reason: string; opens: string; fix: string }) => ({
    message: `${facts.name} is easy to guess: it ${facts.reason}.`,
    why: `It opens ${facts.opens}.`,
    fix: facts.fix,
  })),
  'secret-not-resolved': note((facts: Unread) => ({
    message: `${facts.name} was not read: ${facts.reason}.`,
    why: unknown(facts),
    fix: facts.fix,
  })),
  'secret-unreadable': error((facts: Unread) => ({
    message: `${facts.name} cannot be read: ${facts.reason}.`,
    why: 'Commands that need it stop before they touch anything.',
    fix: facts.fix,
  })),
  'plaintext-secret-tracked': warning((facts: { name: string; file: string }) => ({
    message: `${facts.name} is written out in ${facts.file}, which git tracks.`,
    why: 'Everybody who can read the repository, its history and its copies can read the secret.',
    fix: `Read it from elsewhere (${facts.name}: !env NAME, or !file PATH with a file that git ignores), and change the secret: the history keeps this one.`,
  })),
} as const
