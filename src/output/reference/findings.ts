import { findingGroups } from '../../diagnostics/catalogue.ts'
import { explanationOf } from '../../diagnostics/explanation.ts'

/** Writes the lists of docs/findings.md: every finding by group, with a link to its page. */
export function findingsIndex(): string {
  const sections = findingGroups.map(({ title: group, codes }) => {
    const rows = codes
      .map(explanationOf)
      .map(({ code, severity, title }) => `- [${code}](findings/${code}.md) (${severity}): ${title}`)
    return `## ${group}\n\n${rows.join('\n')}\n`
  })
  return sections.join('\n')
}
