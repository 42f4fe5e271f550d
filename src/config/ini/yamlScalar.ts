/** Words that YAML, or one of its older readers, does not read as text. */
const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const escaped = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Cs}/u

const asEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A text as a YAML scalar that is read back as the same text, in single quotes unless it can go without. */
export function yamlScalar(text: string): string {
  if (/^[A-Za-z/][A-Za-z0-9_./-]*$/.test(text) && !reserved.test(text)) return text
  if (/^\d+(\.\d+){3}$/.test(text)) return text
  return quotedScalar(text)
}

/** The same, but always in quotes, as a secret is written. */
export function quotedScalar(text: string): string {
  if (!escaped.test(text)) return `'${text.replaceAll("'", "''")}'`
  // JSON's form is YAML's double-quoted one, but for characters that YAML wants escaped.
  return JSON.stringify(text).replace(new RegExp(escaped, 'gu'), asEscape)
}

/** A list on one line. */
export const yamlList = (items: readonly string[]): string => `[${items.map(yamlScalar).join(', ')}]`
