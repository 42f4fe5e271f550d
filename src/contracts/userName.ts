/** Characters that a user name must not contain (specification section 5.5). */
export const reservedCharacters: readonly string[] = [..." !#$&'()*+,/:;=?@[]"]

/** Longest user name, in characters (Unicode code points). */
export const maximumUserName = 128

/** How a message names a character that cannot be shown as it is. */
function named(character: string): string {
  if (character === ' ') return 'a space'
  if (/[\p{Cc}\p{Cs}]/u.test(character)) {
    const code = character.codePointAt(0) ?? 0
    const kind = /\p{Cs}/u.test(character) ? 'the half character' : 'the control character'
    return `${kind} U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  }
  return character === "'" ? `"'"` : `'${character}'`
}

/**
 * What is wrong with a user name, as sentences without a subject, one per offending character in the
 * order of their first appearance; empty when the name is good. The name is judged in NFC, as it is kept.
 */
export function userNameProblems(name: string): string[] {
  const characters = [...name.normalize('NFC')]
  if (characters.length === 0) return ['must not be empty']
  const forbidden = new Set(
    characters.filter((it) => reservedCharacters.includes(it) || /[\p{Cc}\p{Cs}]/u.test(it)),
  )
  const problems = [...forbidden].map((it) => `must not contain ${named(it)}`)
  if (/^\.{1,2}$/.test(name)) problems.push(`must not be '${name}', which has a meaning of its own in a URL`)
  if (characters.length > maximumUserName) {
    problems.push(`has ${characters.length} characters, and ${maximumUserName} is the most`)
  }
  return problems
}
