import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import type { IniComment, IniFile, IniItem, IniSection } from './iniFile.ts'
import { type ReadLine, readLine } from './readLine.ts'

type OpenSection = IniSection & { readonly items: IniItem[] }

type Source = { readonly file: string; readonly line: number; readonly text: string }

const part = ({ file, line }: Source, from: number, length: number): Span => ({
  file,
  line,
  column: from + 1,
  endLine: line,
  endColumn: from + 1 + Math.max(1, length),
})

/** The item that a line is, when it is one. */
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

/**
 * Reads an INI text (without byte order mark and NUL). A parser of our own: none of npm's keeps lines,
 * columns and comments. What is no INI is kept as it is, with its finding.
 */
export function readIni(file: string, text: string): IniFile {
  const head: IniItem[] = []
  const sections = new Map<string, OpenSection>()
  const findings: Diagnostic[] = []
  let items = head
  // Comments that may belong to a section right below them.
  let pending: IniComment[] = []
  const settle = (): void => {
    for (const comment of pending) items.push(comment)
    pending = []
  }
  const open = (name: string, at: { source: Source; span: Span; broken: boolean }): void => {
    const { source, span, broken } = at
    const key = broken ? `line ${source.line}` : `[${name}]`
    const earlier = sections.get(key)
    if (earlier !== undefined) {
      const related = [{ message: 'The first one is here.', span: earlier.span }]
      findings.push(diagnose('ini-section-twice', { section: name }, { span, related }))
      items = earlier.items
      settle()
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
      findings.push(diagnose('ini-bad-section', {}, { span }))
      open(source.text, { source, span, broken: true })
    } else {
      settle()
      if (item !== undefined) items.push(item)
      if (item?.kind === 'unread') findings.push(diagnose('ini-not-an-option', {}, { span: item.span }))
    }
  }
  settle()
  return { head, sections: [...sections.values()], findings }
}
