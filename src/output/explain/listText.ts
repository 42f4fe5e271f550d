import { findingGroups } from '../../diagnostics/catalogue.ts'
import { explanationOf } from '../../diagnostics/explanation.ts'
import { severityColours } from './findingText.ts'
import { type Layout, type Paint, proseLines } from './layout.ts'
import { settingGroups } from './settings.ts'

/** One line of a list: a name, a word about it and what it means. */
type Row = {
  readonly name: string
  readonly word?: { readonly text: string; readonly colour: Parameters<Paint>[0] }
  readonly text: string
}

/** Columns below which a text beside the names would be a thin strip; it then goes below them. */
const leastText = 26

const wordWidth = 'warning'.length

function rowLines(row: Row, nameWidth: number, layout: Layout): readonly string[] {
  const { width, paint } = layout
  const { name, word, text } = row
  const before = `  ${name.padEnd(nameWidth)}  ${word === undefined ? '' : `${word.text.padEnd(wordWidth)}  `}`
  const painted = (line: string): string => {
    const rest = line.slice(2 + name.length)
    const after = word === undefined ? rest : rest.replace(word.text, paint(word.colour, word.text))
    return `  ${paint('bold', name)}${after}`
  }
  if (width - before.length >= leastText) {
    const [first = '', ...rest] = proseLines(text, { layout, first: before, rest: ' '.repeat(before.length) })
    return [painted(first), ...rest]
  }
  const head = `  ${name}${word === undefined ? '' : `  ${word.text}`}`
  return [painted(head), ...proseLines(text, { layout, first: '      ', rest: '      ' })]
}

function groupText(title: string, rows: readonly Row[], layout: Layout): string {
  const nameWidth = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.flatMap((row) => rowLines(row, nameWidth, layout))
  return [layout.paint('underline', title), ...lines].join('\n')
}

/** Every finding and every setting by group, for a person. */
export function listText(layout: Layout): string {
  const findings = findingGroups.map(({ title, codes }) => {
    const rows = codes.map(explanationOf).map(({ code, severity, title: text }) => ({
      name: code,
      word: { text: severity, colour: severityColours[severity] },
      text,
    }))
    return groupText(title, rows, layout)
  })
  const settings = settingGroups.map(({ title, settings: of }) => {
    const rows = of.map(({ name, documentation }) => ({ name, text: documentation }))
    return groupText(title, rows, layout)
  })
  const { paint } = layout
  const blocks = [
    paint('bold', 'Findings'),
    ...findings,
    paint('bold', 'Settings'),
    ...settings,
    proseLines('For details, run `muster explain NAME`.', { layout, first: '', rest: '' }).join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}
