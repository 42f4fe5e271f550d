import { userNameProblems } from '../contracts/credentialRules.ts'

/**
 * What keeps a text of the file from being the name of a user, each after "it". Names are compared in NFC
 * (contract.md), so a name in another form could stand for the same user twice.
 */
export const namingProblems = (name: string): readonly string[] => [
  ...userNameProblems(name),
  ...(name === name.normalize('NFC') ? [] : ['must be in Unicode’s composed form (NFC), so type it anew']),
]
