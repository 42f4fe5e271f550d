import type { Severity } from '../../diagnostics/diagnostic.ts'
import { type Explanation, exampleTitles } from '../../diagnostics/explanation.ts'
import { exampleLines } from './exampleLines.ts'
import { type Layout, proseLines } from './layout.ts'

export const severityColours = { error: 'red', warning: 'yellow', note: 'cyan' } as const satisfies Record<
  Severity,
  string
>

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

/** The page of a finding for a person. */
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
