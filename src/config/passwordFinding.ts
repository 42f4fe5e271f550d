import { listOf } from '../base/words.ts'
import { passwordProblems } from '../contracts/credentialRules.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { finding } from '../diagnostics/finding.ts'
import type { SecretReference } from '../secrets/reference.ts'
import type { Secret } from '../secrets/secret.ts'
import { options } from './settings/options.ts'
import type { Given, Setting } from './settings/setting.ts'

/** Default passwords of the product family and others. */
const defaults = [
  'secret',
  'tungsten',
  'admin',
  'administrator',
  'password',
  'passw0rd',
  'changeme',
  'changeit',
  'root',
  'muster',
  'default',
  'letmein',
  'welcome',
  'qwerty',
  '12345678',
  '123456',
]

const minimumLength = 12

/**
 * Explains why a password is easy to guess, as the end of a sentence; `known`: everybody tries it first.
 * Never quotes it.
 */
export function passwordWeakness(
  password: string,
  user: string | undefined,
): { readonly known: boolean; readonly reason: string } | undefined {
  const lower = password.toLowerCase()
  if (user !== undefined && lower === user.toLowerCase())
    return { known: true, reason: 'the user name itself' }
  if (defaults.includes(lower)) return { known: true, reason: 'a well-known default password' }
  const characters = [...password]
  if (characters.length < minimumLength)
    return { known: false, reason: `has fewer than ${minimumLength} characters` }
  if (new Set(characters).size < 5) return { known: false, reason: 'repeats the same few characters' }
  const stem = lower.replaceAll(/[^a-z]+/g, '')
  if (stem === user?.toLowerCase() || defaults.includes(stem)) {
    return { known: false, reason: 'is a well-known word with other characters added' }
  }
  return undefined
}

/** A user and its password. */
export type Account = {
  readonly user: Setting<string>
  readonly password: Setting<SecretReference>
  /** Service that the password gives access to. */
  readonly grantsAccessTo: string
  readonly fix: string
}

const generated = 'muster then generates a password, keeps it and shows it once.'
const database = 'Give the database account a random password, and read it with !env or !file.'

export const accounts: readonly Account[] = [
  {
    user: options.adminUser,
    password: options.adminPass,
    grantsAccessTo: 'every API of every host',
    fix: `Use at least 12 random characters, read with !env or !file. Or remove the option: ${generated}`,
  },
  {
    user: options.database.user,
    password: options.database.password,
    grantsAccessTo: 'the replication of the databases',
    fix: database,
  },
  {
    user: options.monitor.user,
    password: options.monitor.password,
    grantsAccessTo: 'the state of the databases, read-only',
    fix: database,
  },
]

/** A user of `rest-api-users`. */
export const apiUser: Pick<Account, 'grantsAccessTo' | 'fix'> = {
  grantsAccessTo: 'every API of every host that has this user',
  fix: `Use at least 12 random characters, read with !env or !file. Or leave it empty: ${generated}`,
}

/** Returns the end of the fix for an option that may be left out or empty. */
const generateHint = (name: string): string => {
  if (name.startsWith('rest-api-users.')) return ', or leave it empty to have one generated'
  return name.startsWith('rest-api-admin') ? ', or remove the option to have one generated' : ''
}

const badPassword = finding('bad-password', (facts: { name: string; problems: readonly string[] }) => ({
  message: `${facts.name} is not a valid password: it ${listOf(facts.problems)}.`,
  why: 'Hosts reject it.',
  fix: `Use 1 to 1024 characters${generateHint(facts.name)}.`,
}))

type WeakPassword = { name: string; reason: string; grantsAccessTo: string; fix: string }

const defaultPassword = finding('default-password', (facts: WeakPassword) => ({
  message: `${facts.name} is ${facts.reason}.`,
  why: `Attackers try it first, and it gives access to ${facts.grantsAccessTo}.`,
  fix: facts.fix,
}))

const weakPassword = finding('weak-password', (facts: WeakPassword) => ({
  message: `${facts.name} is easy to guess: it ${facts.reason}.`,
  why: `It gives access to ${facts.grantsAccessTo}.`,
  fix: facts.fix,
}))

/** Checks a password; the finding is at its value and never quotes it. */
export function passwordFinding(options: {
  readonly account: Pick<Account, 'grantsAccessTo' | 'fix'>
  readonly given: Given
  readonly password: Secret
  readonly user: string | undefined
}): Diagnostic | undefined {
  const { account, given, password, user } = options
  const name = given.spelling
  const place = { span: given.span }
  const text = password.reveal()
  const problems = passwordProblems(text)
  if (problems.length > 0) return badPassword({ name, problems }, place)
  const weakness = passwordWeakness(text, user)
  if (weakness === undefined) return undefined
  const { grantsAccessTo, fix } = account
  const report = weakness.known ? defaultPassword : weakPassword
  return report({ name, reason: weakness.reason, grantsAccessTo, fix }, place)
}
