import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { type Account, accounts, apiUser, passwordFinding } from '../passwordFinding.ts'
import {
  groupBySpan,
  type ResolvedCluster,
  type ResolvedHost,
  type ResolvedUser,
  usersOf,
} from '../resolve/resolved.ts'

const passwordWithoutUser = finding(
  'password-without-user',
  (facts: { name: string; user: string; example: string }) => ({
    message: `${facts.name} is set, but ${facts.user} is not.`,
    why: 'A password without a user name cannot be used.',
    fix: `Add: ${facts.user}: ${facts.example}`,
  }),
)

function checkAdmin(host: ResolvedHost, account: Account): { span: Span; finding: Diagnostic }[] {
  const { value, given } = host.option(account.password)
  if (given === undefined) return []
  const { span, keySpan, spelling: name } = given
  const user = host.option(account.user)
  if (user.given === undefined) {
    const facts = { name, user: account.user.name, example: account.user.type.example }
    return [{ span, finding: passwordWithoutUser(facts, { span: keySpan }) }]
  }
  if (value?.kind !== 'literal') return []
  const finding = passwordFinding({ account, given, password: value.value, user: user.value })
  return finding === undefined ? [] : [{ span, finding }]
}

function checkUser({ value, given }: ResolvedUser): { span: Span; finding: Diagnostic }[] {
  if (value?.kind !== 'literal') return []
  const { name: user, span } = given
  const finding = passwordFinding({ account: apiUser, given, password: value.value, user })
  return finding === undefined ? [] : [{ span, finding }]
}

/** Finds a password without a user, an invalid one, and one that is easy to guess. */
export const passwords = ({ hosts }: ResolvedCluster): readonly Diagnostic[] =>
  groupBySpan(
    hosts.flatMap((host) => [
      ...accounts.flatMap((account) => checkAdmin(host, account)),
      ...usersOf(host).flatMap(checkUser),
    ]),
  ).map(([{ finding }]) => finding)
