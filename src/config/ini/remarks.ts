import { redacted } from '../../diagnostics/source.ts'
import { looksSecret } from '../document/hide.ts'
import type { IniItem, IniOption } from './iniFile.ts'
import { isPlainName, optionOf } from './names.ts'
import { commentText, open, secretAfter, type TextLine } from './textLine.ts'

/** Whether an option may hold a secret, known or not. */
export const mayBeSecret = ({ key, value }: IniOption): boolean =>
  optionOf(key)?.secret === true || !isPlainName(key) || looksSecret(key) || looksSecret(value)

/** A comment as it goes on in the YAML file. */
export function carried(text: string): TextLine {
  const safe = commentText(text)
  return looksSecret(text) ? { text: safe, shown: redacted } : open(safe)
}

/** An option, or a line that is none, as a comment that says where it stood and why it is one. */
export function asRemark(item: IniItem, why: string): TextLine {
  const start = `${why}, line ${item.line}: `
  if (item.kind === 'comment') return carried(item.text)
  if (item.kind === 'unread') return secretAfter(start, commentText(item.text))
  const { key, value, comment } = item
  const rest = `${value}${item.backslash ? ' \\' : ''}${comment === undefined ? '' : ` # ${comment}`}`
  if (!isPlainName(key)) return secretAfter(start, commentText(`${key} = ${rest}`))
  const named = `${start}${key} = `
  return mayBeSecret(item) ? secretAfter(named, commentText(rest)) : open(named + commentText(rest))
}

/** How a finding names an option: as it is written, unless that may be a piece of a secret. */
export const shownName = (key: string): string => (isPlainName(key) ? key : redacted)
