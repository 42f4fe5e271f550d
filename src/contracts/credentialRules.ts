/** Longest password, in characters (Unicode code points). */
export const maximumPassword = 1024

/**
 * Returns the problems of a password, as sentences without a subject that never quote it; empty if it is valid.
 * Any Unicode but control characters is allowed, which no login can contain (RFC 7617 section 2); it is checked in NFC, as
 * it is hashed.
 */
export function passwordProblems(value: string): string[] {
  const characters = [...value.normalize('NFC')]
  if (characters.length === 0) return ['must not be empty']
  const problems: string[] = []
  if (characters.some((it) => /\p{Cs}/u.test(it))) {
    problems.push('contains a lone surrogate (half of a character), which a login cannot contain')
  }
  const controls = new Set(characters.filter((it) => /\p{Cc}/u.test(it)).map(codeOf))
  if (controls.size > 0) {
    const most = [...controls].slice(0, 5).join(', ')
    const what = controls.size === 1 ? 'the control character' : 'the control characters'
    problems.push(`contains ${what} ${most}, which a login cannot contain (RFC 7617)`)
  }
  if (characters.length > maximumPassword) {
    problems.push(`has ${characters.length} characters; the maximum is ${maximumPassword}`)
  }
  return problems
}

/** Characters that a user name must not contain (specification section 5.5). */
export const reservedCharacters: readonly string[] = [..." !#$&'()*+,/:;=?@[]"]

/** Longest user name, in characters (Unicode code points). */
const maximumUserName = 128

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Names a character that the specification forbids; undefined for any other. */
function reserved(character: string): string | undefined {
  if (character === ' ') return 'a space'
  if (/\p{Cs}/u.test(character)) return `the lone surrogate ${codeOf(character)}`
  if (/\p{Cc}/u.test(character)) return `the control character ${codeOf(character)}`
  if (!reservedCharacters.includes(character)) return undefined
  return character === "'" ? `"'"` : `'${character}'`
}

/**
 * Names a character that no new name may have: anything but letters, marks, digits and visible punctuation, as the
 * IdentifierClass of PRECIS has it (RFC 8264 section 4.2, UsernameCasePreserved of RFC 8265 section 3.4): what cannot be
 * seen, and what is another way to write a character, makes names that look like others.
 */
function confusable(character: string): string | undefined {
  if (/[!-~]/.test(character)) return undefined
  if (/\p{Z}/u.test(character)) return `the space ${codeOf(character)}`
  if (/[\p{Cf}\p{DI}]/u.test(character)) return `the invisible character ${codeOf(character)}`
  if (/[\p{Co}\p{Cn}]/u.test(character)) return `the unassigned character ${codeOf(character)}`
  if (!/[\p{L}\p{M}\p{Nd}\p{P}]/u.test(character)) return `the symbol ${codeOf(character)}`
  const plain = character.normalize('NFKC')
  return plain === character.normalize('NFC') ? undefined : `${codeOf(character)}, another form of '${plain}'`
}

function problemsOf(name: string, forbidden: (character: string) => string | undefined): string[] {
  const characters = [...name.normalize('NFC')]
  if (characters.length === 0) return ['must not be empty']
  const found = new Set(characters.flatMap((character) => forbidden(character) ?? []))
  const problems = [...found].map((it) => `must not contain ${it}`)
  if (/^\.{1,2}$/.test(name)) problems.push(`must not be '${name}', which has a special meaning in a URL`)
  if (characters.length > maximumUserName) {
    problems.push(`has ${characters.length} characters; the maximum is ${maximumUserName}`)
  }
  return problems
}

/**
 * Problems of a name for a new user, as sentences without a subject, one per offending character in the order of their
 * first appearance; empty for a valid name. The name is checked in NFC, as it is kept.
 */
export const userNameProblems = (name: string): string[] =>
  problemsOf(name, (character) => reserved(character) ?? confusable(character))

/**
 * Problems of a name that no user can have, however old: those of the specification alone. Users who were made before
 * names that look like others were refused can still be looked up, unlocked and deleted.
 */
export const existingNameProblems = (name: string): string[] => problemsOf(name, reserved)
