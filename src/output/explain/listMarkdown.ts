import { findingGroups } from '../../diagnostics/catalogue.ts'
import { explanationOf } from '../../diagnostics/explanation.ts'
import { settingGroups } from './settings.ts'

const section = (title: string, rows: readonly string[]): string => `## ${title}\n\n${rows.join('\n')}\n`

/** Every finding and every setting by group. */
export function listMarkdown(): string {
  const findings = findingGroups.map(({ title, codes }) => {
    const rows = codes
      .map(explanationOf)
      .map(({ code, severity, title: text }) => `- \`${code}\` (${severity}): ${text}`)
    return section(title, rows)
  })
  const settings = settingGroups.map(({ title, settings: of }) =>
    section(
      title,
      of.map(({ name, documentation }) => `- \`${name}\`: ${documentation}`),
    ),
  )
  return ['# Findings\n', ...findings, '# Settings\n', ...settings].join('\n')
}
