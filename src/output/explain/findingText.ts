import type { Severity } from '../../diagnostics/diagnostic.ts'
import { paragraphsOf } from '../../diagnostics/explanations/explanation.ts'
import { exampleLines } from './exampleLines.ts'
import { type ExplainedFinding, exampleTitles } from './finding.ts'
import { type Layout, proseLines } from './layout.ts'

export const severityColours = { error: 'red', warning: 'yellow', note: 'cyan' } as const satisfies Record<
  Severity,
  string
>

function examples(finding: ExplainedFinding, layout: Layout): readonly (readonly string[])[] {
  const { bad, good } = finding
  if (bad === undefined || good === undefined) return []
  const titles = exampleTitles(finding)
  return [
    [layout.paint('bold', titles.bad)],
    exampleLines({ text: bad, other: good, colour: 'red' }, layout),
    [layout.paint('bold', titles.good)],
    exampleLines({ text: good, other: bad, colour: 'green' }, layout),
  ]
}

function commandLines({ commands }: ExplainedFinding, { paint }: Layout): readonly (readonly string[])[] {
  if (commands === undefined) return []
  const lines = commands.split('\n').map((line) => `    ${line.startsWith('#') ? paint('dim', line) : line}`)
  return [[paint('bold', 'Commands')], lines]
}

/** The page of a finding for a person. */
export function findingText(finding: ExplainedFinding, layout: Layout): string {
  const { code, severity, title } = finding
  const { paint } = layout
  const blocks = [
    [
      `${paint('bold', code)} ${paint(severityColours[severity], severity)}`,
      ...proseLines(title, { layout, first: '', rest: '' }),
    ],
    ...paragraphsOf(finding).map((text) => proseLines(text, { layout, first: '', rest: '' })),
    ...examples(finding, layout),
    ...commandLines(finding, layout),
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}
