import { error, warning } from '../entry.ts'
import { listOf } from '../words.ts'

/** The administrator and the password. */
export const secretEntries = {
  'password-without-user': error((facts: { name: string }) => ({
    message: `${facts.name} is given, but no rest-api-admin-user.`,
    why: 'A password alone makes no administrator.',
    fix: 'Add: rest-api-admin-user: admin',
  })),
  'bad-user-name': error((facts: { problems: readonly string[] }) => ({
    message: `rest-api-admin-user is not a possible user name: it ${listOf(facts.problems)}.`,
    why: 'The name becomes part of addresses (/user/NAME) and of HTTP Basic authentication, which such characters break.',
    fix: 'Use letters, digits, hyphens, dots and underscores, such as admin',
  })),
  'bad-password': error((facts: { name: string; problems: readonly string[] }) => ({
    message: `${facts.name} is not a possible password: it ${listOf(facts.problems)}.`,
    why: 'Every host would refuse it.',
    fix: 'Use 1 to 1024 characters, or leave the option out and one is made.',
  })),
  'default-password': error((facts: { name: string; reason: string }) => ({
    message: `${facts.name} is ${facts.reason}.`,
    why: 'It is among the first that anybody tries, and it opens every API of every host.',
    fix: 'Leave the option out and a random one is made, kept and shown once; or read your own with !env or !file.',
  })),
  'weak-password': warning((facts: { name: string; reason: string }) => ({
    message: `${facts.name} is easy to guess: it ${facts.reason}.`,
    why: 'It opens every API of every host.',
    fix: 'Use at least 12 characters at random, or leave the option out and one is made.',
  })),
} as const
