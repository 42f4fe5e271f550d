import { accountStatements } from '../../config/reference/accountStatements.ts'
import type { Setting } from '../../config/settings/setting.ts'
import { findingGroups } from '../../diagnostics/codes.ts'
import type { Severity } from '../../diagnostics/diagnostic.ts'
import { type Explanation, exampleTitles, explanationOf } from '../../diagnostics/explanation.ts'
import { explainFailureCode, type FailureExplanation, failureCodes } from '../../diagnostics/failures.ts'
import type { CallExplanation } from './calls.ts'
import { type Layout, type Paint, proseLines } from './layout.ts'
import { settingExample, settingFacts } from './settingFacts.ts'
import { type Section, sectionRows, settingGroups } from './settings.ts'

const severityColours = { error: 'red', warning: 'yellow', note: 'cyan' } as const satisfies Record<
  Severity,
  string
>

/** Returns the indexes of lines in `text` that `other` does not have as often. */
function changedLines(text: readonly string[], other: readonly string[]): ReadonlySet<number> {
  const left = [...other]
  const changed = text.map((line, index) => {
    const at = left.indexOf(line)
    if (at === -1) return index
    left.splice(at, 1)
    return undefined
  })
  return new Set(changed.filter((index) => index !== undefined))
}

/** Writes an example, with a mark before each line that its counterpart does not have. */
function exampleLines(
  example: { readonly text: string; readonly other: string; readonly colour: 'red' | 'green' },
  { paint }: Layout,
): readonly string[] {
  const lines = example.text.split('\n')
  const changed = changedLines(lines, example.other.split('\n'))
  return lines.map((line, index) => {
    // On a terminal a tab looks like blanks, and it may be the very mistake.
    const shown = line.replaceAll('\t', '\u2192')
    return changed.has(index) ? `  ${paint(example.colour, `> ${shown}`)}` : `    ${shown}`
  })
}

function examples(finding: Explanation, layout: Layout): readonly (readonly string[])[] {
  const { severity, bad, good } = finding
  if (bad === undefined || good === undefined) return []
  const titles = exampleTitles(severity)
  return [
    [layout.paint('bold', titles.bad)],
    exampleLines({ text: bad, other: good, colour: 'red' }, layout),
    [layout.paint('bold', titles.good)],
    exampleLines({ text: good, other: bad, colour: 'green' }, layout),
  ]
}

function commandLines({ commands }: Explanation, { paint }: Layout): readonly (readonly string[])[] {
  if (commands === undefined) return []
  const lines = commands.split('\n').map((line) => `    ${line.startsWith('#') ? paint('dim', line) : line}`)
  return [[paint('bold', 'Commands')], lines]
}

/** Writes the page of a finding for a person. */
export function findingText(finding: Explanation, layout: Layout): string {
  const { code, severity, title, about } = finding
  const { paint } = layout
  const blocks = [
    [
      `${paint('bold', code)} ${paint(severityColours[severity], severity)}`,
      ...proseLines(title, { layout, first: '', rest: '' }),
    ],
    ...about.map((text) => proseLines(text, { layout, first: '', rest: '' })),
    ...examples(finding, layout),
    ...commandLines(finding, layout),
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

/** Writes the explanation of a failure for a person. */
export function failureText({ code, title, about }: FailureExplanation, layout: Layout): string {
  const flush = { layout, first: '', rest: '' }
  const blocks = [
    [`${layout.paint('bold', code)} ${layout.paint('red', 'failure')}`, ...proseLines(title, flush)],
    ...about.map((text) => proseLines(text, flush)),
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

/** Writes the explanation of a call of the APIs for a person. */
export function callText({ path, title, about }: CallExplanation, layout: Layout): string {
  const flush = { layout, first: '', rest: '' }
  const blocks = [
    [`${layout.paint('bold', path)} ${layout.paint('cyan', 'call')}`, ...proseLines(title, flush)],
    ...about.map((text) => proseLines(text, flush)),
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

const labelWidth = 10

/** Writes the page of a setting for a person. */
export function settingText(setting: Setting<unknown>, layout: Layout): string {
  const { paint } = layout
  const facts = settingFacts(setting).flatMap(({ label, text }) => {
    const first = `  ${label.padEnd(labelWidth)}`
    const [start = '', ...rest] = proseLines(text, { layout, first, rest: ' '.repeat(first.length) })
    return [start.replace(label, paint('bold', label)), ...rest]
  })
  const flush = { layout, first: '', rest: '' }
  const blocks = [
    [paint('bold', setting.name), ...proseLines(setting.documentation, flush)],
    facts,
    settingExample(setting)
      .split('\n')
      .map((line) => `    ${line}`),
    ...accountStatements(setting).map(({ title, sql }) => [
      `  ${paint('bold', title)}`,
      ...sql
        .trimEnd()
        .split('\n')
        .map((line) => `    ${line}`),
    ]),
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

/** A line of a list: name, kind and meaning. */
type Row = {
  readonly name: string
  readonly word?: { readonly text: string; readonly colour: Parameters<Paint>[0] }
  readonly text: string
}

/** Minimum columns of text beside the names; with fewer it goes below them. */
const minimumTextWidth = 26

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
  if (width - before.length >= minimumTextWidth) {
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

/** Writes a section of the file and what stands in it, for a person. */
export function sectionText(section: Section, layout: Layout): string {
  const flush = { layout, first: '', rest: '' }
  const blocks = [
    [layout.paint('bold', section.name), ...proseLines(section.documentation, flush)].join('\n'),
    ...sectionRows(section).map(({ title, rows }) => groupText(title, rows, layout)),
    proseLines('For details, run `muster explain NAME`.', flush).join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}

/** Lists every finding, failure and setting by group, for a person. */
export function listText(layout: Layout): string {
  const findings = findingGroups.map(({ title, codes }) => {
    const rows = codes.map(explanationOf).map(({ code, severity, title: text }) => ({
      name: code,
      word: { text: severity, colour: severityColours[severity] },
      text,
    }))
    return groupText(title, rows, layout)
  })
  const failures = failureCodes
    .map(explainFailureCode)
    .map(({ code, title }) => ({ name: code, text: title }))
  const settings = settingGroups.map(({ title, settings: of }) => {
    const rows = of.map(({ name, documentation }) => ({ name, text: documentation }))
    return groupText(title, rows, layout)
  })
  const { paint } = layout
  const blocks = [
    paint('bold', 'Findings'),
    ...findings,
    paint('bold', 'Failures'),
    groupText('On hosts and on this machine', failures, layout),
    paint('bold', 'Settings'),
    ...settings,
    proseLines('For details, run `muster explain NAME`.', { layout, first: '', rest: '' }).join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}
