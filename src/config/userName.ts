import { userNameProblems } from '../contracts/credentialRules.ts'

/**
 * Explains why a text cannot be a user name, each as a phrase after "it". Names are compared in NFC
 * (contract.md), so a name in another form could be the same user twice.
 */
export const namingProblems = (name: string): readonly string[] => [
  ...userNameProblems(name),
  ...(name === name.normalize('NFC') ? [] : ['must be in Unicode Normalization Form C (NFC)']),
]
