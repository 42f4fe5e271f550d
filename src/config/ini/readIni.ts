import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { redacted } from '../../diagnostics/source.ts'
import type { IniComment, IniFile, IniItem, IniSection } from './iniFile.ts'

/** A line or a part of one: for the file, and for a terminal without secrets. */
export type TextLine = { readonly text: string; readonly shown: string }

/** Makes a line without a secret. */
export const publicLine = (text: string): TextLine => ({ text, shown: text })

/** Makes a line with a secret after `start`. */
export const secretLine = (start: string, secret: string): TextLine => ({
  text: start + secret,
  shown: start + redacted,
})

/** Prefixes a line, for example with an indentation. */
export const prefixed = (start: string, { text, shown }: TextLine): TextLine => ({
  text: start + text,
  shown: start + shown,
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Cs}/gu

/** Escapes text for a comment: no character may end the line or be invalid in YAML. */
export const commentText = (text: string): string =>
  text.replace(control, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Joins lines to one text. */
export const joinLines = (lines: readonly TextLine[], as: 'text' | 'shown'): string =>
  lines.map((line) => `${line[as]}\n`).join('')

export const keptAsComment = 'It is kept as a comment at its place in the YAML file.'

/** A parsed line of an INI file. Offsets are 0-based, the end exclusive. */
type ReadLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'comment'; readonly text: string; readonly from: number }
  | { readonly kind: 'section'; readonly name: string; readonly from: number; readonly to: number }
  | { readonly kind: 'bad-section' | 'unread' }
  | {
      readonly kind: 'option'
      readonly key: string
      readonly keyFrom: number
      readonly value: string
      readonly valueFrom: number
      /** Comment after the value on its line. */
      readonly comment?: string
      /** A blank and a backslash were at its end. */
      readonly backslash: boolean
    }

const blanks = ' \t\f\v\r'

/** Removes blanks at both ends. A no-break space belongs to the value, so this is not `trim`. */
export function stripped(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && blanks.includes(text.charAt(from))) from += 1
  while (to > from && blanks.includes(text.charAt(to - 1))) to -= 1
  return text.slice(from, to)
}

/**
 * Returns the offset of a comment, which starts with # or ; after a blank; the length of the line without
 * one.
 */
function commentStart(line: string): number {
  for (let at = 1; at < line.length; at++) {
    const character = line.charAt(at)
    if ((character === '#' || character === ';') && blanks.includes(line.charAt(at - 1))) return at
  }
  return line.length
}

/** Returns the offset of the first non-blank character from `from` on. */
function firstOf(line: string, from: number): number {
  let at = from
  while (at < line.length && blanks.includes(line.charAt(at))) at += 1
  return at
}

/**
 * Parses one line like the reader of the family's `tpm` (the Ruby library iniparse, in continuent's
 * tungsten-replicator): # or ; starts a comment at the start of a line or after a blank, the first equals
 * sign separates name and value, a value is unchanged, with its quotes, and never continues on the next line.
 */
export function readLine(line: string): ReadLine {
  const start = firstOf(line, 0)
  if (start === line.length) return { kind: 'blank' }
  const first = line.charAt(start)
  if (first === '#' || first === ';') {
    return { kind: 'comment', text: stripped(line.slice(start + 1)), from: start }
  }
  const end = commentStart(line)
  const content = stripped(line.slice(0, end))
  const comment = end < line.length ? { comment: stripped(line.slice(end + 1)) } : {}
  if (first === '[') {
    const name = stripped(/^\[([^\]]+)\]$/.exec(content)?.[1] ?? '')
    return name === ''
      ? { kind: 'bad-section' }
      : { kind: 'section', name, from: start, to: start + content.length }
  }
  const equals = content.indexOf('=')
  const key = stripped(content.slice(0, Math.max(0, equals)))
  if (key === '') return { kind: 'unread' }
  const uncut = stripped(content.slice(equals + 1))
  // The family's reader does so too: such a backslash is left from a command line.
  const backslash = uncut.endsWith(' \\')
  const value = backslash ? stripped(uncut.slice(0, -2)) : uncut
  const valueFrom = firstOf(line.slice(0, end), start + equals + 1)
  return { kind: 'option', key, keyFrom: start, value, valueFrom, backslash, ...comment }
}

type OpenSection = IniSection & { readonly items: IniItem[] }

type Source = { readonly file: string; readonly line: number; readonly text: string }

const part = ({ file, line }: Source, from: number, length: number): Span => ({
  file,
  line,
  column: from + 1,
  endLine: line,
  endColumn: from + 1 + Math.max(1, length),
})

/** Converts a parsed line to an item; undefined for others. */
function itemOf(read: ReadLine, source: Source): IniItem | undefined {
  const { line, text } = source
  if (read.kind === 'comment') {
    return { kind: 'comment', line, text: read.text, span: part(source, read.from, text.length - read.from) }
  }
  if (read.kind === 'unread') return { kind: 'unread', line, text, span: part(source, 0, text.length) }
  if (read.kind !== 'option') return undefined
  const { kind, key, keyFrom, value, valueFrom, backslash, comment } = read
  const keySpan = part(source, keyFrom, key.length)
  const span = part(source, valueFrom, value.length)
  const item = { kind, line, key, keySpan, value, span, backslash }
  return comment === undefined ? item : { ...item, comment }
}

const iniNotAnOption = finding('ini-not-an-option', () => ({
  message: 'The line is neither an option nor a section nor a comment.',
  why: `An option needs a name and an equals sign. ${keptAsComment}`,
  fix: 'Write it as name=value, or put a # before it.',
}))

const iniBadSection = finding('ini-bad-section', () => ({
  message: 'This is not the name of a section in brackets.',
  why: 'The section of the options below it is not clear. They are kept as comments in the YAML file.',
  fix: 'Write the name alone on its line, such as [alpha]',
}))

const iniSectionTwice = finding('ini-section-twice', (facts: { section: string }) => ({
  message: `The section [${facts.section}] is given twice.`,
  why: 'Both are used, as one section. Options in both are easily overlooked.',
  fix: 'Move all options into one of them.',
}))

/**
 * Parses an INI text (without byte order mark and NUL). A parser of our own: no npm package keeps lines,
 * columns and comments. Keeps lines that are not INI, with a finding.
 */
export function readIni(file: string, text: string): IniFile {
  const head: IniItem[] = []
  const sections = new Map<string, OpenSection>()
  const findings: Diagnostic[] = []
  let items = head
  // Comments that may belong to a section right below them.
  let pending: IniComment[] = []
  const flushPending = (): void => {
    for (const comment of pending) items.push(comment)
    pending = []
  }
  const open = (name: string, at: { source: Source; span: Span; broken: boolean }): void => {
    const { source, span, broken } = at
    const key = broken ? `line ${source.line}` : `[${name}]`
    const earlier = sections.get(key)
    if (earlier !== undefined) {
      const related = [{ message: 'The first one is here.', span: earlier.span }]
      findings.push(iniSectionTwice({ section: name }, { span, related }))
      items = earlier.items
      flushPending()
      return
    }
    const section: OpenSection = { name, line: source.line, span, broken, lead: pending, items: [] }
    pending = []
    sections.set(key, section)
    items = section.items
  }
  for (const [index, raw] of text.split('\n').entries()) {
    const source = { file, line: index + 1, text: raw.replace(/\r$/, '') }
    const read = readLine(source.text)
    const item = itemOf(read, source)
    if (item?.kind === 'comment') {
      pending.push(item)
    } else if (read.kind === 'section') {
      open(read.name, { source, span: part(source, read.from, read.to - read.from), broken: false })
    } else if (read.kind === 'bad-section') {
      const span = part(source, 0, source.text.length)
      findings.push(iniBadSection({}, { span }))
      open(source.text, { source, span, broken: true })
    } else {
      flushPending()
      if (item !== undefined) items.push(item)
      if (item?.kind === 'unread') findings.push(iniNotAnOption({}, { span: item.span }))
    }
  }
  flushPending()
  return { head, sections: [...sections.values()], findings }
}
