import { redacted } from '../../diagnostics/source.ts'

/** A line of a file, or a part of one: as it is, and as a terminal may show it. */
export type TextLine = { readonly text: string; readonly shown: string }

/** A line without a secret. */
export const open = (text: string): TextLine => ({ text, shown: text })

/** A line of which everything after `start` is secret. */
export const secretAfter = (start: string, secret: string): TextLine => ({
  text: start + secret,
  shown: start + redacted,
})

/** Lines that belong behind something, such as an indentation. */
export const behind = (start: string, { text, shown }: TextLine): TextLine => ({
  text: start + text,
  shown: start + shown,
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Cs}/gu

/** Text that may stand in a comment: no character of it ends the line or is unknown to YAML. */
export const commentText = (text: string): string =>
  text.replace(control, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Lines as one text. */
export const joined = (lines: readonly TextLine[], as: 'text' | 'shown'): string =>
  lines.map((line) => `${line[as]}\n`).join('')
