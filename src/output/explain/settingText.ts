import { accountStatements } from '../../config/reference/accountStatements.ts'
import type { Setting } from '../../config/settings/setting.ts'
import { type Layout, proseLines } from './layout.ts'
import { settingExample, settingFacts } from './settingFacts.ts'

const labelWidth = 10

/** The page of a setting for a person. */
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
