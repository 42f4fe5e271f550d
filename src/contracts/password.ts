/** Longest password, in characters (Unicode code points). */
export const maximumPassword = 1024

/**
 * What is wrong with a password, as sentences without a subject that never quote it; empty when it is good.
 * Any Unicode is allowed; it is judged in NFC, as it is hashed.
 */
export function passwordProblems(value: string): string[] {
  const characters = [...value.normalize('NFC')]
  if (characters.length === 0) return ['must not be empty']
  const problems: string[] = []
  if (characters.some((it) => /\p{Cs}/u.test(it))) {
    problems.push('contains half of a character (a lone surrogate), which no login can carry')
  }
  if (characters.length > maximumPassword) {
    problems.push(`has ${characters.length} characters, and ${maximumPassword} is the most`)
  }
  return problems
}
