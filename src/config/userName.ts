import { listOf } from '../base/words.ts'
import { userNameProblems } from '../contracts/credentialRules.ts'
import { finding } from '../diagnostics/finding.ts'

/**
 * Explains why a text cannot be a user name, each as a phrase after "it". Names are compared in NFC
 * (contract.md), so a name in another form could be the same user twice.
 */
export const namingProblems = (name: string): readonly string[] => [
  ...userNameProblems(name),
  ...(name === name.normalize('NFC') ? [] : ['must be in Unicode Normalization Form C (NFC)']),
]

export const badUserName = finding(
  'bad-user-name',
  (facts: { name: string; problems: readonly string[] }) => ({
    message: `${facts.name} is not a valid user name: it ${listOf(facts.problems)}.`,
    why: 'The name is part of URLs (/user/NAME) and of HTTP Basic authentication, where some characters are reserved. With invisible characters two names can look alike.',
    fix: 'Use letters, digits, hyphens, dots and underscores, such as admin',
  }),
)
