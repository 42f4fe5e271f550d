const unquotedWord = /^[A-Za-z0-9_@%+=:,./-]+$/

/** Quotes a text as one word of a POSIX sh script. Throws for NUL, which no shell can carry. */
export function quote(text: string): string {
  if (text.includes('\0')) throw new Error('a NUL character cannot be part of a shell word')
  if (unquotedWord.test(text)) return text
  return `'${text.replaceAll("'", `'\\''`)}'`
}
