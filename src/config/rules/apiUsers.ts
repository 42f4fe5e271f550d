import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { sameSource } from '../../secrets/reference.ts'
import {
  groupBySpan,
  type ResolvedCluster,
  type ResolvedHost,
  type ResolvedUser,
  usersOf,
} from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'
import { badUserName, namingProblems } from '../userName.ts'

type Found = { readonly span: Span; readonly finding: Diagnostic }

/** Finds characters that a user name must not have (specification section 5.5), each by its name. */
function findInvalidName({ given }: ResolvedUser): Found[] {
  const problems = namingProblems(given.name)
  if (problems.length === 0) return []
  const facts = { name: `A name in ${options.users.name}`, problems }
  return [{ span: given.keySpan, finding: badUserName(facts, { span: given.keySpan }) }]
}

const administratorTwice = finding('administrator-twice', (facts: { readonly has: string }) => ({
  message: `This user is the administrator, who has ${facts.has}.`,
  why: 'A user has one password and one access level; one of the two would be ignored silently.',
  fix: 'Remove the user from rest-api-users, or give it neither a password nor an access level here.',
}))

/** Finds the administrator among the users with another password or level. */
function findSecondAdministrator(host: ResolvedHost, { given, value }: ResolvedUser): Found[] {
  const admin = host.option(options.adminUser)
  const password = host.option(options.adminPass)
  if (admin.given === undefined || admin.value !== given.name) return []
  const same = value === undefined || (password.value !== undefined && sameSource(value, password.value))
  if (same && given.access === 'full') return []
  const has = same ? 'the access level full' : 'a different password'
  const other = password.given ?? admin.given
  const related = [{ message: 'The administrator is here.', span: other.keySpan }]
  const finding = administratorTwice({ has }, { span: given.keySpan, related })
  return [{ span: given.keySpan, finding }]
}

/** Returns a name without case and accents, by which people compare names. */
const folded = (name: string): string => name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

const similarUserNames = finding('similar-user-names', (facts: { readonly name: string }) => ({
  message: `${facts.name} differs from another user by case or accents only.`,
  why: 'They are two users with two passwords, and a person takes one for the other.',
  fix: 'Use one of the names everywhere, or names that differ in a letter.',
}))

/** Finds users of a host whose names differ by case or accents only; each is compared with those before it. */
function findSimilarNames(host: ResolvedHost): Found[] {
  const admin = host.option(options.adminUser)
  const before = new Map<string, { readonly name: string; readonly span: Span }>()
  if (admin.given !== undefined && admin.value !== undefined) {
    before.set(folded(admin.value), { name: admin.value, span: admin.given.span })
  }
  return usersOf(host).flatMap(({ given: { name, spelling, keySpan } }) => {
    const other = before.get(folded(name))
    if (other === undefined) before.set(folded(name), { name, span: keySpan })
    if (other === undefined || other.name === name) return []
    const related = [{ message: 'The other user is here.', span: other.span }]
    return [
      {
        span: keySpan,
        finding: similarUserNames({ name: spelling }, { span: keySpan, related }),
      },
    ]
  })
}

/** Finds invalid names of users, names that are too similar, and an administrator with two passwords or levels. */
export const apiUsers = ({ hosts }: ResolvedCluster): readonly Diagnostic[] =>
  groupBySpan(
    hosts.flatMap((host) => [
      ...usersOf(host).flatMap((user) => [...findInvalidName(user), ...findSecondAdministrator(host, user)]),
      ...findSimilarNames(host),
    ]),
  ).map(([{ finding }]) => finding)
